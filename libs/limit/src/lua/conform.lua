-- Admits a request that is not too early. The generic cell rate algorithm: the state of a client is one time.
--   KEYS[1]  when the next request is due, microseconds; no key: now
--   ARGV[1]  the interval between two requests, microseconds
--   ARGV[2]  the tolerance: a request may be so much too early, microseconds
--   ARGV[3]  the time, milliseconds; -1: the clock of Redis
-- Returns {admitted: 1 or 0, remaining, milliseconds until there is more, the time in microseconds, how much too early it is}.
local interval, tolerance = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = 1000 * ARGV[3]
if now < 0 then
  local time = redis.call('TIME')
  now = 1000000 * time[1] + time[2]
end
local due = math.max(now, tonumber(redis.call('GET', KEYS[1]) or now))
local early = math.floor(due - now) -- a part of a microsecond is the rounding of an interval
if early > tolerance then
  return { 0, 0, math.ceil((early - tolerance) / 1000), now, early }
end
local next = early + interval
redis.call('SET', KEYS[1], due + interval, 'PX', math.ceil(next / 1000))
local remaining = math.max(0, math.floor((tolerance - next) / interval) + 1)
return { 1, remaining, math.ceil(math.max(0, next - tolerance) / 1000), now, early }
