-- Adds the units of an operation to the count, once. Idempotent.
--   KEYS[1]  the count; a missing count is not created, because it will be loaded from the database
--   KEYS[2]  units that are being written to the database: a hash {operation: units}
--   KEYS[3]  number of operations counted so far
--   ARGV[1]  the operation
--   ARGV[2]  there: the database has the units; never: the write has failed
-- Returns the change of the count.
local units = redis.call('HGET', KEYS[2], ARGV[1])
if not units then
  return 0
end
redis.call('HDEL', KEYS[2], ARGV[1])
if ARGV[2] ~= 'there' then
  return 0
end
redis.call('INCR', KEYS[3])
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('INCRBY', KEYS[1], units)
return tonumber(units)
