-- Takes a token from a bucket, whose refill since the last time is computed.
--   KEYS[1]  the bucket: a hash {tokens, at: when they were counted}; no key: the bucket is full
--   ARGV[1]  tokens to take
--   ARGV[2]  refill, tokens per millisecond
--   ARGV[3]  capacity of the bucket
--   ARGV[4]  the time, milliseconds; -1: the clock of Redis
-- Returns {taken: 1 or 0, remaining tokens, milliseconds until the bucket has enough again, the time}.
local wanted, rate, capacity = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(ARGV[4])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = capacity
if bucket[1] then
  tokens = math.min(capacity, bucket[1] + math.max(0, now - bucket[2]) * rate)
end
local taken = 0
if tokens >= wanted then
  taken = 1
  tokens = tokens - wanted
  redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now)
  redis.call('PEXPIRE', KEYS[1], math.ceil((capacity - tokens) / rate))
end
local wait = math.ceil(math.max(0, wanted - tokens) / rate - 0.001) -- not a millisecond more because of a rounded quotient
return { taken, math.floor(tokens), wait, string.format('%.3f', now) }
