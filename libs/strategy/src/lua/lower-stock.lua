-- Lowers the count to what the database has, if it is above that: units that do not exist cannot be sold.
--   KEYS[1]  the count
--   KEYS[2]  who has taken units and is not settled: a hash {operation: units}; below zero: given back, the operation may live
--   KEYS[3]  how often units were counted that came
--   ARGV[1]  the stock in the database: until now it can only have become less, unless units came
--   ARGV[2]  how often units had been counted before that was read
-- Returns by how much the count has changed.
if (redis.call('GET', KEYS[3]) or '0') ~= ARGV[2] then
  return 0 -- units came meanwhile: whoever reconciles next sees the stock with them
end
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
local above = count - tonumber(ARGV[1])
for _, units in ipairs(redis.call('HVALS', KEYS[2])) do
  above = above + math.min(tonumber(units), 0) -- may be sold by now: then settling takes them again, and not we
end
if above <= 0 then
  return 0
end
redis.call('DECRBY', KEYS[1], above)
return -above
