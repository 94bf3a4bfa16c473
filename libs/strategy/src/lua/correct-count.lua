-- correct-count
-- Corrects the count by the stock in the database: units that do not exist cannot be sold, and all others can.
--   KEYS[1]  the count
--   KEYS[2]  unsettled operations: a hash {operation: units taken}; below zero: returned, but the write may still arrive
--   KEYS[3]  the reconciliation that may correct the count
--   ARGV[1]  this reconciliation
--   ARGV[2]  the stock in the database; since it was read it can only have decreased, unless units were added
--   ARGV[3]  the count as the reconciliation has left it
-- Returns the change of the count.
if redis.call('GET', KEYS[3]) ~= ARGV[1] then
  return 0 -- units were added since, or Redis has restarted empty: the next reconciliation sees the new stock
end
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
local stock = tonumber(ARGV[2])
local highest = stock
for _, units in ipairs(redis.call('HVALS', KEYS[2])) do
  highest = highest - math.min(tonumber(units), 0) -- returned units may be sold by now: settle-stock takes them again then
end
local change = 0
if count > highest then
  change = highest - count
elseif count < stock and count == tonumber(ARGV[3]) then
  change = stock - count -- another count: units were taken since, and the stock may include them
end
if change ~= 0 then
  redis.call('INCRBY', KEYS[1], change)
end
return change
