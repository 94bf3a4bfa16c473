-- Says what became of the units that an operation has taken. Said again, it changes nothing.
--   KEYS[1]  the count; a count that is not there stays away: it will be loaded from the database
--   KEYS[2]  who has taken units and is not settled: a hash {operation: units}; below zero: given back, the operation may live
--   ARGV[1]  the operation
--   ARGV[2]  sold: its movement is there; unsold: there will never be one; missing: there is none now, but it may come
-- Returns by how much the count has changed.
local units = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0')
local change = 0
if ARGV[2] == 'sold' then
  change = math.min(units, 0) -- given back too early: it takes them again
elseif units > 0 then
  change = units
end
if ARGV[2] == 'missing' and units ~= 0 then
  redis.call('HSET', KEYS[2], ARGV[1], -math.abs(units))
else
  redis.call('HDEL', KEYS[2], ARGV[1])
end
if change == 0 or redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('INCRBY', KEYS[1], change)
return change
