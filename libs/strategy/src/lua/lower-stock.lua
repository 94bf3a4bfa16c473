-- Lowers the count to what the database has, if it is above that: units that do not exist cannot be sold.
--   KEYS[1]  the count
--   ARGV[1]  the stock in the database: until now it can only have become less
-- Returns by how much the count has changed.
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
local above = count - tonumber(ARGV[1])
if above <= 0 then
  return 0
end
redis.call('DECRBY', KEYS[1], above)
return -above
