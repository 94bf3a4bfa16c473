-- Lowers the count to what the database has, if it is above that: units that do not exist cannot be sold.
--   KEYS[1]  the count
--   KEYS[2]  who has taken units and is not settled: a hash {request: units}; below zero: given back, the request may live
--   ARGV[1]  the stock in the database: until now it can only have become less
-- Returns by how much the count has changed.
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
