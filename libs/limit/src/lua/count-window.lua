-- Counts a request in the window that the first request has opened.
--   KEYS[1]  the count; it expires at the end of the window
--   ARGV[1]  the limit
--   ARGV[2]  the window, milliseconds
--   ARGV[3]  the time, milliseconds; -1: the clock of Redis
-- Returns {admitted: 1 or 0, remaining, milliseconds until the window ends, the time}.
local max = tonumber(ARGV[1])
local count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
local now = tonumber(ARGV[3])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
local admitted = count <= max and 1 or 0
return { admitted, math.max(0, max - count), redis.call('PTTL', KEYS[1]), string.format('%.3f', now) }
