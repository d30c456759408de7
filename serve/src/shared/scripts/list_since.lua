-- Returns the changes of the list of conversations after a number.
--
-- KEYS: entries, changes
-- ARGV: the number
-- Returns the numbers of the newest change and of the oldest one that counts, and ids, numbers and
-- entries.
local newest = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
local number = tonumber(newest[2]) or 0
local after = tonumber(ARGV[1])
if after > number then
    after = 0
end
local changed = redis.call('ZRANGEBYSCORE', KEYS[2], string.format('(%d', after), '+inf', 'WITHSCORES')
local oldest = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
local result = {number, tonumber(oldest[2]) or 0}
for index = 1, #changed, 2 do
    result[#result + 1] = changed[index]
    result[#result + 1] = changed[index + 1]
    result[#result + 1] = redis.call('HMGET', KEYS[1], changed[index])[1] or ''
end
return result
