-- Settles the units that an operation has taken, by the outcome of its write. Idempotent.
--   KEYS[1]  the count; a missing count is not created, because it will be loaded from the database
--   KEYS[2]  unsettled operations: a hash {operation: units taken}; below zero: returned, but the write may still arrive
--   ARGV[1]  the operation
--   ARGV[2]  sold: its movement exists; unsold: it never will; missing: not yet, but the write may still arrive
-- Returns the change of the count.
local units = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0')
local change = 0
if ARGV[2] == 'sold' then
  change = math.min(units, 0) -- returned too early: taken again
elseif units > 0 then
  change = units
end
if ARGV[2] == 'missing' and units ~= 0 then
  redis.call('HSET', KEYS[2], ARGV[1], -math.abs(units))
else
  redis.call('HDEL', KEYS[2], ARGV[1])
end
if change == 0 or redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('INCRBY', KEYS[1], change)
return change
