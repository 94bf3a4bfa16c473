-- Joins the readers, unless there is a writer or a waiting writer. All readers share one time to live; as no reader
-- joins behind a waiting writer, a dead reader blocks it for at most one lease.
--   KEYS[1]  the lock: the writer's name
--   KEYS[2]  the readers: a set of names
--   KEYS[3]  the mark of a waiting writer
--   ARGV[1]  our name
--   ARGV[2]  the lease, milliseconds
-- Returns 1: we may read, 0: another client writes or waits to write.
local writer = redis.call('GET', KEYS[1])
if writer ~= ARGV[1] and (writer or redis.call('EXISTS', KEYS[3]) == 1) then
  return 0
end
redis.call('SADD', KEYS[2], ARGV[1])
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
return 1
