-- Takes units from the count in Redis, if there are enough.
--   KEYS[1]  the count
--   ARGV[1]  how many
-- Returns what is left; -1: not enough; -2: there is no count (never loaded, or Redis has restarted empty).
local count = redis.call('GET', KEYS[1])
if not count then
  return -2
end
if tonumber(count) < tonumber(ARGV[1]) then
  return -1
end
return redis.call('DECRBY', KEYS[1], ARGV[1])
