-- Counts a request in the window that the first request has opened.
--   KEYS[1]  the count; it expires at the end of the window
--   ARGV[1]  the window, milliseconds
-- Returns {the count, milliseconds until the window ends}.
local count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return { count, redis.call('PTTL', KEYS[1]) }
