-- Reads a page that Redis does not remove, and for how long it is still fresh.
--   KEYS[1]  the page, as store-page writes it
--   ARGV[1]  the time, milliseconds; -1: the clock of Redis
-- Returns {text, the request that built it, duration of its build, for how long it is fresh (0 or negative: since when it has
-- expired)}, in milliseconds; nil when there is no page.
local page = redis.call('HMGET', KEYS[1], 'text', 'builtBy', 'buildMs', 'freshUntil')
if not page[1] then return nil end
local now = tonumber(ARGV[1])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
return { page[1], page[2], tonumber(page[3]), tonumber(page[4]) - now }
