-- Counts the units that an operation has brought, once. Said again, it changes nothing.
--   KEYS[1]  the count; a count that is not there stays away: it will be loaded from the database
--   KEYS[2]  units on their way into the database: a hash {operation: units}
--   KEYS[3]  how often units were counted
--   ARGV[1]  the operation
--   ARGV[2]  there: the database has them; never: they will not come
-- Returns by how much the count has changed.
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
