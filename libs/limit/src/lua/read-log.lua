-- Counts the requests that were admitted in the window that ends now. Another client can count the same before we add ours.
--   KEYS[1]  the log: a sorted set of admitted requests by time
--   ARGV[1]  the window, milliseconds
--   ARGV[2]  the time, milliseconds; -1: the clock of Redis
-- Returns {the count, the time}.
local now = tonumber(ARGV[2])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1])
return { redis.call('ZCARD', KEYS[1]), string.format('%.3f', now) }
