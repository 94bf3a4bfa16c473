-- Takes a token from a bucket, whose refill since the last time is computed.
--   KEYS[1]  the bucket: "tokens time", when they were counted; no key: the bucket is full
--   ARGV[1]  refill, tokens per millisecond
--   ARGV[2]  capacity of the bucket
--   ARGV[3]  the time, milliseconds; -1: the clock of Redis
-- Returns {taken: 1 or 0, remaining tokens, milliseconds until there is a token again, the time}.
local rate, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = tonumber(ARGV[3])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
local tokens = capacity
local bucket = redis.call('GET', KEYS[1])
if bucket then
  local counted, at = string.match(bucket, '^(%S+) (%S+)$')
  tokens = math.min(capacity, counted + math.max(0, now - at) * rate)
end
local taken = 0
if tokens >= 1 then
  taken = 1
  tokens = tokens - 1
  local fullIn = math.ceil((capacity - tokens) / rate)
  redis.call('SET', KEYS[1], string.format('%.17g %.17g', tokens, now), 'PX', fullIn)
end
-- not a millisecond more because of a rounded quotient
local wait = math.ceil(math.max(0, 1 - tokens) / rate - 0.001)
return { taken, math.floor(tokens), wait, string.format('%.3f', now) }
