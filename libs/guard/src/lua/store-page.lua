-- Stores a page that is fresh for a time and stays in Redis after it.
--   KEYS[1]  the page
--   ARGV[1]  its text
--   ARGV[2]  the request that built it
--   ARGV[3]  duration of its build, milliseconds
--   ARGV[4]  for how long it is fresh, milliseconds
--   ARGV[5]  the time, milliseconds; -1: the clock of Redis
-- Returns the time until which the page is fresh.
local now = tonumber(ARGV[5])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local freshUntil = now + ARGV[4]
redis.call('HSET', KEYS[1], 'text', ARGV[1], 'builtBy', ARGV[2], 'buildMs', ARGV[3], 'freshUntil', freshUntil)
return freshUntil
