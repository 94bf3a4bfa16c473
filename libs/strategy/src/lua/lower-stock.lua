-- Lowers the count to the stock in the database, if it is higher: units that do not exist cannot be sold.
--   KEYS[1]  the count
--   KEYS[2]  unsettled operations: a hash {operation: units taken}; below zero: returned, but the write may still arrive
--   KEYS[3]  number of operations counted that added units
--   ARGV[1]  the stock in the database; since it was read it can only have decreased, unless units were added
--   ARGV[2]  the value of KEYS[3] before the stock was read
-- Returns the change of the count.
if (redis.call('GET', KEYS[3]) or '0') ~= ARGV[2] then
  return 0 -- units were added since: the next reconciliation sees them in the stock
end
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
local above = count - tonumber(ARGV[1])
for _, units in ipairs(redis.call('HVALS', KEYS[2])) do
  above = above + math.min(tonumber(units), 0) -- returned units may be sold by now: settle-stock takes them again then
end
if above <= 0 then
  return 0
end
redis.call('DECRBY', KEYS[1], above)
return -above
