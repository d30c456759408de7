-- Makes a replica the writer of a conversation, unless another one that lives writes a turn.
--
-- KEYS: log, state, bell
-- ARGV: replica, time to live (ms), a replica that is dead, or "", "create" if it may be new,
--   "turn" if it begins a turn, so that no other replica takes the conversation meanwhile
-- Returns "none", "busy" and the writer, or "taken", the epoch, the state and the log.
local stored = redis.call('HMGET', KEYS[2], 'epoch', 'owner', 'turn')
local epoch, owner, turn = tonumber(stored[1] or '0'), stored[2], stored[3]
if not stored[1] and ARGV[4] ~= 'create' then
    return {'none'}
end
if turn == 'streaming' and owner and owner ~= ARGV[1] and owner ~= ARGV[3] then
    return {'busy', owner}
end
epoch = epoch + 1
redis.call('HSET', KEYS[2], 'epoch', epoch, 'owner', ARGV[1])
if ARGV[5] == 'turn' then
    redis.call('HSET', KEYS[2], 'turn', 'streaming')
    redis.call('HDEL', KEYS[2], 'request')
end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
redis.call('SPUBLISH', KEYS[3], 'taken')
return {'taken', epoch, redis.call('HGETALL', KEYS[2]), redis.call('XRANGE', KEYS[1], '-', '+')}
