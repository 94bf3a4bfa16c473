-- count-units
-- Adds units to the count, after the database has received them.
--   KEYS[1]  the count; a missing count is not created, because it will be loaded from the database
--   KEYS[2]  the reconciliation that may correct the count: none, because it may have read the stock without these units
--   ARGV[1]  number of units
-- Returns the change of the count.
redis.call('DEL', KEYS[2])
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('INCRBY', KEYS[1], ARGV[1])
return tonumber(ARGV[1])
