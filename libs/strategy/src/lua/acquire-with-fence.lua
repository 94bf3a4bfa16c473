-- Acquires the lock if it is free, with the next fencing token: a later holder has a greater token.
--   KEYS[1]  the lock
--   KEYS[2]  the token counter; it never expires
--   ARGV[1]  the owner
--   ARGV[2]  the lease, milliseconds
-- Returns the token, 1 or more; 0: the lock is taken.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return redis.call('INCR', KEYS[2])
end
return 0
