-- Deletes the lock if it is still ours; comparing and deleting is one atomic step. Tells those who wait for it.
--   KEYS[1]  the lock
--   ARGV[1]  our token
--   ARGV[2]  'hand-off': tell nobody, the next waiter of our own process tries right behind us
-- Returns 1: released, 0: the lock is gone or somebody else's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1])
if ARGV[2] ~= 'hand-off' then
  redis.call('PUBLISH', 'freed:' .. KEYS[1], ARGV[1])
end
return 1
