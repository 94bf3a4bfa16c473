-- Releases the lock once. The last release frees it, and notifies the waiters.
--   KEYS[1]  the lock
--   ARGV[1]  the owner
--   ARGV[2]  'hand-over': publish nothing, the next waiter of our process tries right behind us
-- Returns 1: the lock is free, 2: an outer call still holds it, 0: it has ended, or has another owner.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then
  return 2
end
redis.call('DEL', KEYS[1])
if ARGV[2] ~= 'hand-over' then
  redis.call('PUBLISH', 'freed:' .. KEYS[1], ARGV[1])
end
return 1
