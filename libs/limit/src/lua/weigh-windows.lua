-- Estimates the requests of the window that ends now: those of this window, and of the window before as much as still counts.
--   KEYS[1]  "window count before": the number of the last window, its requests, and those of the window before it
--   ARGV[1]  the limit
--   ARGV[2]  the window, milliseconds
--   ARGV[3]  the time, milliseconds; -1: the clock of Redis
-- Returns {admitted: 1 or 0, remaining, milliseconds until the next request would be admitted, the time in microseconds}.
local max, size = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = tonumber(ARGV[3])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
local window = math.floor(now / size)
local last, counted, earlier = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+) (%d+)$')
local count, before = 0, 0
if tonumber(last) == window then
  count, before = tonumber(counted), tonumber(earlier)
elseif tonumber(last) == window - 1 then
  before = tonumber(counted)
end
local passed = now - window * size
local function estimate()
  return count + before * (1 - passed / size)
end
local admitted = 0
if estimate() + 1 <= max then
  admitted = 1
  count = count + 1
  redis.call('SET', KEYS[1], string.format('%d %d %d', window, count, before), 'PX', 2 * size)
end
local wait = 0 -- until the estimate has room for one more, in this window or in the next one
if estimate() + 1 > max then
  wait = size - passed + size * math.max(0, 1 - (max - 1) / count)
  if count + 1 <= max then
    wait = size * (1 - (max - 1 - count) / before) - passed
  end
end
return { admitted, math.max(0, math.floor(max - estimate())), math.ceil(wait), 1000 * now }
