-- Admits a request if fewer than `max` were admitted in the window that ends now, and adds it to the log.
--   KEYS[1]  the log: a sorted set of admitted requests by time
--   ARGV[1]  the limit
--   ARGV[2]  the window, milliseconds
--   ARGV[3]  a unique id of the request
--   ARGV[4]  the time, milliseconds; -1: the clock of Redis
-- Returns {admitted: 1 or 0, remaining, milliseconds until the oldest request leaves the window, the time}.
local max, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = tonumber(ARGV[4])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
local function oldest()
  return tonumber(redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or now)
end
local first = oldest()
if first <= now - window then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
  first = oldest()
end
local count = redis.call('ZCARD', KEYS[1])
local admitted = 0
if count < max then
  admitted = 1
  count = count + 1
  redis.call('ZADD', KEYS[1], now, ARGV[3])
  redis.call('PEXPIRE', KEYS[1], window)
end
return { admitted, max - count, math.ceil(first + window - now), string.format('%.3f', now) }
