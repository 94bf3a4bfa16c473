-- Joins a queue that requests leave at a steady rate, unless it is full.
--   KEYS[1]  when the last request leaves the queue, milliseconds
--   ARGV[1]  the interval between two requests that leave, milliseconds
--   ARGV[2]  the longest wait: the interval times the places of the queue; 0: there is no queue
--   ARGV[3]  the time, milliseconds; -1: the clock of Redis
-- Returns {joined: 1 or 0, free places, milliseconds until there is a place, when the request leaves the queue, its wait};
-- of a request that did not join, the time and 0.
local interval, longest = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = tonumber(ARGV[3])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
local last = tonumber(redis.call('GET', KEYS[1]) or '-1')
local leaves = math.max(now, last + interval)
local wait = leaves - now
local joined = 0
if wait > longest then
  leaves, wait = now, 0
else
  joined = 1
  redis.call('SET', KEYS[1], string.format('%.17g', leaves), 'PX', math.ceil(wait + interval))
  last = leaves
end
local next = math.max(0, last + interval - now)
local free = math.floor((longest - next) / interval) + 1
local placeIn = math.ceil(math.max(0, next - longest))
local function text(ms)
  return string.format('%.3f', ms)
end
return { joined, math.max(0, free), placeIn, text(leaves), text(wait) }
