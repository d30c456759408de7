-- Notes the last requests of conversations, lets the store keep these longer, and stores the
-- requests' records.
--
-- KEYS: for each: log, state, the keys of its record
-- ARGV: time to live (ms), that of a record (ms),
--   for each: the request, the names of its record separated by spaces, the record as JSON,
--     number of its keys
local time_to_live, lifetime, key = ARGV[1], ARGV[2], 1
for at = 3, #ARGV, 4 do
    local log, state, count = KEYS[key], KEYS[key + 1], tonumber(ARGV[at + 3])
    redis.call('HSET', state, 'request', ARGV[at], 'records', ARGV[at + 1])
    redis.call('PEXPIRE', log, time_to_live)
    redis.call('PEXPIRE', state, time_to_live)
    key = key + 2
    for record = key, key + count - 1 do
        redis.call('SET', KEYS[record], ARGV[at + 2], 'PX', lifetime)
    end
    key = key + count
end
return 1
