-- Gives the lock back once; the last time it is free.
--   KEYS[1]  the lock
--   ARGV[1]  the owner
-- Returns 1: the lock is free, 2: the owner still has it from an outer call, 0: it is gone or somebody else's.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then
  return 2
end
return redis.call('DEL', KEYS[1])
