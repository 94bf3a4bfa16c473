-- Answers an order and takes it from the queue.
--   KEYS[1]  the queue, a stream
--   KEYS[2]  the answer
--   ARGV[1]  the order's id in the queue
--   ARGV[2]  what is answered
--   ARGV[3]  how long the answer waits to be fetched, milliseconds
-- Returns 1: it stood in the queue, 0: somebody has taken it already.
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return redis.call('XDEL', KEYS[1], ARGV[1])
