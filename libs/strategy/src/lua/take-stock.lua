-- Takes units from the count in Redis, if there are enough, and writes down who has them.
--   KEYS[1]  the count
--   KEYS[2]  who has taken units and is not settled: a hash {operation: units}
--   ARGV[1]  how many
--   ARGV[2]  the operation: an id of its own, for a request id may come twice
-- Returns what is left; -1: not enough; -2: there is no count (never loaded, or Redis has restarted empty).
local count = redis.call('GET', KEYS[1])
if not count then
  return -2
end
if tonumber(count) < tonumber(ARGV[1]) then
  return -1
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[1])
return redis.call('DECRBY', KEYS[1], ARGV[1])
