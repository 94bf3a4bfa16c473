-- Takes the lock if it is free and nobody alive stands before us; otherwise we stand in line, or go on standing there.
--   KEYS[1]  the lock
--   KEYS[2]  the line: a list of tokens, the next one first
--   KEYS[3]  who stands there: a hash {token: "deadline lease"}; after its deadline, or without one, a waiter counts as dead
--   ARGV[1]  our token
--   ARGV[2]  our lease, milliseconds: granted with the lock, and until then our deadline
--   ARGV[3]  the time, milliseconds; -1: Redis' own
-- Returns 1: the lock is ours (or was given to us meanwhile), 0: it is not our turn.
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
