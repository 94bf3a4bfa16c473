-- Takes the lock if it is free, with its time to live: nobody can die between SETNX and the expiry.
--   KEYS[1]  the lock
--   ARGV[1]  our token
--   ARGV[2]  the lease, milliseconds
-- Returns 1: the lock is ours, 0: somebody has it.
if redis.call('SETNX', KEYS[1], ARGV[1]) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 1
end
return 0
