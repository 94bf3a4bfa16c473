-- Takes units from the count in Redis, if there are enough, and records which operation took them.
--   KEYS[1]  the count
--   KEYS[2]  unsettled operations: a hash {operation: units taken}
--   ARGV[1]  number of units
--   ARGV[2]  the operation: a unique id, because a request id may occur twice
-- Returns the remaining units; -1: not enough; -2: there is no count (never loaded, or Redis has restarted empty).
local count = redis.call('GET', KEYS[1])
if not count then
  return -2
end
if tonumber(count) < tonumber(ARGV[1]) then
  return -1
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[1])
return redis.call('DECRBY', KEYS[1], ARGV[1])
