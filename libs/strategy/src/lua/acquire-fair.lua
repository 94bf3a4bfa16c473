-- Acquires the lock if it is free and no live waiter is ahead of us; otherwise joins the queue or stays in it.
--   KEYS[1]  the lock
--   KEYS[2]  the queue: a list of tokens, the next holder first
--   KEYS[3]  the waiters: a hash {token: "deadline lease"}; without a deadline, or after it, a waiter counts as dead
--   ARGV[1]  our token
--   ARGV[2]  our lease, milliseconds: the lease of the lock, and the time until our deadline as a waiter
--   ARGV[3]  the time, milliseconds; -1: the clock of Redis
-- Returns 1: the lock is ours (perhaps handed over by a release), 0: it is not our turn.
local owner = redis.call('GET', KEYS[1])
if owner == ARGV[1] then
  return 1
end
local now = tonumber(ARGV[3])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local known = redis.call('HEXISTS', KEYS[3], ARGV[1])
if known == 1 then
  redis.call('HSET', KEYS[3], ARGV[1], (now + ARGV[2]) .. ' ' .. ARGV[2])
end
if not owner then
  local first = redis.call('LINDEX', KEYS[2], 0)
  while first and tonumber(string.match(redis.call('HGET', KEYS[3], first) or '0 1', '^%d+')) <= now do
    redis.call('LPOP', KEYS[2])
    redis.call('HDEL', KEYS[3], first)
    first = redis.call('LINDEX', KEYS[2], 0)
  end
  if not first or first == ARGV[1] then
    if first then
      redis.call('LPOP', KEYS[2])
      redis.call('HDEL', KEYS[3], first)
    end
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
    return 1
  end
end
if known == 0 then
  redis.call('RPUSH', KEYS[2], ARGV[1])
  redis.call('HSET', KEYS[3], ARGV[1], (now + ARGV[2]) .. ' ' .. ARGV[2])
end
return 0
