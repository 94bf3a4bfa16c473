-- Hands the lock to the first live waiter, and notifies that waiter only. A caller that is still waiting leaves the queue.
--   KEYS[1]  the lock
--   KEYS[2]  the queue: a list of tokens, the next holder first
--   KEYS[3]  the waiters: a hash {token: "deadline lease"}; without a deadline, or after it, a waiter counts as dead
--   ARGV[1]  our token
--   ARGV[2]  the time, milliseconds; -1: the clock of Redis
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
local waiter = redis.call('LPOP', KEYS[2])
while waiter do
  local deadline, lease = string.match(redis.call('HGET', KEYS[3], waiter) or '0 1', '^(%d+) (%d+)$')
  redis.call('HDEL', KEYS[3], waiter)
  if tonumber(deadline) > now then
    redis.call('SET', KEYS[1], waiter, 'PX', lease)
    redis.call('PUBLISH', 'turn:' .. string.match(waiter, '^[^:]+'), waiter)
    return waiter
  end
  waiter = redis.call('LPOP', KEYS[2])
end
redis.call('DEL', KEYS[1])
return 1
