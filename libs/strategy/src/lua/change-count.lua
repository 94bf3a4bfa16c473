-- change-count
-- Adds units to a count; below zero: takes them. Does not create a missing count, which will be loaded from the database,
-- and takes nothing if there are too few.
--   KEYS[1]  the count
--   ARGV[1]  number of units
-- Returns the change of the count.
local count = redis.call('GET', KEYS[1])
if not count or count + ARGV[1] < 0 then
  return 0
end
redis.call('INCRBY', KEYS[1], ARGV[1])
return tonumber(ARGV[1])
