-- Takes the lock if it is free, and draws the next fencing token: of two holders the later one has the greater token.
--   KEYS[1]  the lock
--   KEYS[2]  the counter of the tokens; it never expires
--   ARGV[1]  our name as the owner
--   ARGV[2]  the lease, milliseconds
-- Returns the token, from 1; 0: somebody has the lock.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return redis.call('INCR', KEYS[2])
end
return 0
