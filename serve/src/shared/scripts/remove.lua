-- Deletes a conversation. That it was deleted stays known, so that no writer stores it again.
--
-- KEYS: log, state, bell
-- ARGV: for how long that stays known (ms)
-- Returns "removed", or "none" if there was none. The time comes second.
local stored = redis.call('HMGET', KEYS[2], 'epoch', 'deleted')
if not stored[1] or stored[2] then
    return {'none', now}
end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('HSET', KEYS[2], 'epoch', string.format('%d', stored[1] + 1), 'deleted', 1)
redis.call('PEXPIRE', KEYS[2], ARGV[1])
redis.call('SPUBLISH', KEYS[3], 'deleted')
return {'removed', now}
