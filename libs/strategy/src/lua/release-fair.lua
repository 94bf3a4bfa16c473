-- Gives the lock to the first one in line who is alive, and tells that one only. Whoever has no lock leaves the line.
--   KEYS[1]  the lock
--   KEYS[2]  the line: a list of tokens, the next one first
--   KEYS[3]  who stands there: a hash {token: "deadline lease"}; after its deadline, or without one, a waiter counts as dead
--   ARGV[1]  our token
--   ARGV[2]  the time, milliseconds; -1: Redis' own
-- Returns 1: the lock is free; the token of the next holder; 0: it was not ours.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  redis.call('LREM', KEYS[2], 0, ARGV[1])
  redis.call('HDEL', KEYS[3], ARGV[1])
  return 0
end
local now = tonumber(ARGV[2])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local heir = redis.call('LPOP', KEYS[2])
while heir do
  local deadline, lease = string.match(redis.call('HGET', KEYS[3], heir) or '0 1', '^(%d+) (%d+)$')
  redis.call('HDEL', KEYS[3], heir)
  if tonumber(deadline) > now then
    redis.call('SET', KEYS[1], heir, 'PX', lease)
    redis.call('PUBLISH', 'turn:' .. string.match(heir, '^[^:]+'), heir)
    return heir
  end
  heir = redis.call('LPOP', KEYS[2])
end
redis.call('DEL', KEYS[1])
return 1
