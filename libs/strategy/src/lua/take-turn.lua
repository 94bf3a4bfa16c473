-- Fetches our answer; if there is none, acquires the lease of the single writer if it is free.
--   KEYS[1]  the lease
--   KEYS[2]  our answer
--   ARGV[1]  our token
--   ARGV[2]  the lease, milliseconds
-- Returns the answer; 1: the lease is ours; 0: the lease is taken, and there is no answer yet.
local answer = redis.call('GET', KEYS[2])
if answer then
  return answer
end
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return 1
end
return 0
