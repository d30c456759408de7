-- Records changes in the list of conversations.
--
-- KEYS: entries, changes, ends, bell
-- ARGV: time to live (ms), maximum number of entries, for each change: id, entry as JSON, or "" to
-- remove it
local time_to_live, limit = ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
-- Not that of a replica: one whose clock is ahead would end the entries of all others.
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- The number of a change is its time in microseconds, which is below 2^53. So the numbers ascend
-- even if the list has expired, or the store has lost a part of it.
local newest = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
local number = math.max(tonumber(newest[2]) or 0, time[1] * 1000000 + time[2] - 1)
local has_changed = false
for at = 3, #ARGV, 2 do
    local id, entry = ARGV[at], ARGV[at + 1]
    -- One may have been removed before, or never been there.
    if entry ~= '' or (redis.call('HMGET', KEYS[1], id)[1] or '') ~= '' then
        has_changed = true
        number = number + 1
        redis.call('ZADD', KEYS[2], string.format('%d', number), id)
        -- The change of an entry that was removed is kept for a while, so that every replica sees
        -- it.
        if entry == '' then
            redis.call('HDEL', KEYS[1], id)
        else
            redis.call('HSET', KEYS[1], id, entry)
        end
        redis.call('ZADD', KEYS[3], now + time_to_live, id)
    end
end
if not has_changed then
    return 0
end
local ended = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, 100)
-- As many changes of entries that were removed are kept beside the entries. The oldest changes go
-- first.
local entries, changes, at = redis.call('HLEN', KEYS[1]), redis.call('ZCARD', KEYS[2]), 0
if entries > changes then
    -- The store has lost changes. Nobody sees an entry without one, and it would take the place of
    -- another.
    for _, id in ipairs(redis.call('HKEYS', KEYS[1])) do
        if not redis.call('ZSCORE', KEYS[2], id) then
            entries = entries - redis.call('HDEL', KEYS[1], id)
        end
    end
end
entries, changes = entries - limit, changes - 2 * limit
while (entries > 0 or changes > 0) and at < 100 do
    local id = redis.call('ZRANGE', KEYS[2], at, at)[1]
    if not id then
        break
    end
    ended[#ended + 1] = id
    entries, changes, at = entries - redis.call('HEXISTS', KEYS[1], id), changes - 1, at + 1
end
for _, id in ipairs(ended) do
    redis.call('ZREM', KEYS[2], id)
    redis.call('ZREM', KEYS[3], id)
    redis.call('HDEL', KEYS[1], id)
end
for index = 1, 3 do
    redis.call('PEXPIRE', KEYS[index], time_to_live)
end
redis.call('SPUBLISH', KEYS[4], '')
return #ended
