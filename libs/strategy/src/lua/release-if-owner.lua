-- Deletes the lock if it is still ours, in one atomic step, and notifies the waiters.
--   KEYS[1]  the lock
--   ARGV[1]  our token
--   ARGV[2]  'hand-over': publish nothing, the next waiter of our process tries right behind us
-- Returns 1: released, 0: the lock has ended, or has another owner.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1])
if ARGV[2] ~= 'hand-over' then
  redis.call('PUBLISH', 'freed:' .. KEYS[1], ARGV[1])
end
return 1
