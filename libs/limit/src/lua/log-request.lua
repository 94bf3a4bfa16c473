-- Admits a request if fewer than `max` were admitted in the window that ends now, and adds its time to the log.
--   KEYS[1]  the log: a list of the times at which requests were admitted, microseconds, the oldest first
--   ARGV[1]  the limit
--   ARGV[2]  the window, milliseconds
--   ARGV[3]  the time, milliseconds; -1: the clock of Redis
-- Returns {admitted: 1 or 0, remaining, milliseconds until the oldest request leaves the window, the time in microseconds}.
local max, window = tonumber(ARGV[1]), 1000 * ARGV[2]
local now = 1000 * ARGV[3]
if now < 0 then
  local time = redis.call('TIME')
  now = 1000000 * time[1] + time[2]
end
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and now - oldest >= window do
  redis.call('LPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], 0)
end
local count, admitted = redis.call('LLEN', KEYS[1]), 0
if count < max then
  admitted, count = 1, redis.call('RPUSH', KEYS[1], now)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return { admitted, max - count, math.ceil(((oldest or now) + window - now) / 1000), now }
