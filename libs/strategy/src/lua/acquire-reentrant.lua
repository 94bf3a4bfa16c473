-- Acquires the lock if it is free, or once more if it is ours: a hash {owner: count}.
--   KEYS[1]  the lock
--   ARGV[1]  the owner
--   ARGV[2]  the lease, milliseconds: it restarts
--   ARGV[3]  how often the caller believes to hold it already; 0: first acquisition
-- Returns how often the owner holds it now; 0: another owner holds it; -1: the caller has lost it.
local held = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
if tonumber(ARGV[3]) > 0 and held == 0 then
  return -1
end
if held == 0 and redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
held = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return held
