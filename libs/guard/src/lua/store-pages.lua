-- Stores pages that Redis removes, each with an expiry of its own.
--   KEYS     the pages
--   ARGV[1]  the request that built them
--   ARGV[i]  for how long the page KEYS[i - 1] stays, milliseconds
-- Returns the number of pages.
for i, key in ipairs(KEYS) do
  redis.call('SET', key, ARGV[1], 'PX', ARGV[i + 1])
end
return #KEYS
