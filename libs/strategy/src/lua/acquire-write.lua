-- Acquires the write lock if there is no writer and no reader. A waiting writer keeps new readers out.
--   KEYS[1]  the lock: the writer's name
--   KEYS[2]  the readers: a set of names
--   KEYS[3]  the mark of a waiting writer
--   ARGV[1]  our name
--   ARGV[2]  the lease, milliseconds
--   ARGV[3]  how long the mark lasts, milliseconds; 0: we do not wait, and set no mark
-- Returns 1: the lock is ours, 0: another client writes or reads, -1: we are a reader ourselves.
if redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1 then
  return -1
end
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then
  if tonumber(ARGV[3]) > 0 then
    redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[3])
  end
  return 0
end
redis.call('DEL', KEYS[3])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
