-- Restarts the lease, if the lock is still ours.
--   KEYS[1]  the lock
--   ARGV[1]  our token
--   ARGV[2]  the lease, milliseconds
-- Returns 1: renewed, 0: the lock has ended, or has another owner.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
