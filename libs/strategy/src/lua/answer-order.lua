-- Stores the answer to an order, and removes the order from the queue.
--   KEYS[1]  the queue, a stream
--   KEYS[2]  the answer
--   ARGV[1]  the id of the order in the stream
--   ARGV[2]  the text of the answer
--   ARGV[3]  how long the answer is kept, milliseconds
-- Returns 1: the order was in the queue, 0: another writer has removed it already.
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return redis.call('XDEL', KEYS[1], ARGV[1])
