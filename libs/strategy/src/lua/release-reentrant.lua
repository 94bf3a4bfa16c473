-- Gives the lock back once; the last time it is free, and those who wait for it are told.
--   KEYS[1]  the lock
--   ARGV[1]  the owner
--   ARGV[2]  'hand-off': tell nobody, the next waiter of our own process tries right behind us
-- Returns 1: the lock is free, 2: the owner still has it from an outer call, 0: it is gone or somebody else's.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then
  return 2
end
redis.call('DEL', KEYS[1])
if ARGV[2] ~= 'hand-off' then
  redis.call('PUBLISH', 'freed:' .. KEYS[1], ARGV[1])
end
return 1
