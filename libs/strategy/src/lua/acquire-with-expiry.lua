-- Acquires the lock if it is free, with its time to live: no client can die between SETNX and PEXPIRE.
--   KEYS[1]  the lock
--   ARGV[1]  our token
--   ARGV[2]  the lease, milliseconds
-- Returns 1: the lock is ours, 0: it is taken.
if redis.call('SETNX', KEYS[1], ARGV[1]) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 1
end
return 0
