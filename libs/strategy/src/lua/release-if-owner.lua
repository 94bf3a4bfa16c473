-- Deletes the lock if it is still ours; comparing and deleting is one atomic step.
--   KEYS[1]  the lock
--   ARGV[1]  our token
-- Returns 1: released, 0: the lock is gone or somebody else's.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
