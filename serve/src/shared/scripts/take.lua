-- Makes a replica the writer of a conversation, unless another one that lives writes a turn.
--
-- KEYS: log, state, bell
-- ARGV: replica, the epoch in which it is the writer, or 0, time to live (ms),
--   a replica that is dead, or "", "create" if it may be new,
--   "turn" if it begins a turn, so that no other replica takes the conversation meanwhile
-- Returns "none", "closed" if the store has just got back what it had lost, "busy" and the writer,
--   "kept" if the replica is the writer already, or "taken", the epoch, the state and the log.
local replica, own_epoch, time_to_live, dead, may_create, purpose = unpack(ARGV)
local stored = redis.call('HMGET', KEYS[2], 'epoch', 'owner', 'turn', 'deleted', 'closed')
local epoch, owner, turn, deleted, closed = tonumber(stored[1] or '0'), stored[2], stored[3], stored[4], stored[5]
own_epoch = tonumber(own_epoch)
if not stored[1] and own_epoch > 0 then
    -- The store has lost it, and gets it again.
    return {'kept'}
end
local is_kept = own_epoch > epoch or (own_epoch == epoch and owner == replica)
if is_kept and own_epoch > epoch then
    -- The store has lost that the replica became the writer.
    redis.call('HSET', KEYS[2], 'epoch', own_epoch, 'owner', replica)
    redis.call('HDEL', KEYS[2], 'batch', 'deleted')
elseif not is_kept then
    if (not stored[1] or deleted) and may_create ~= 'create' then
        return {'none'}
    end
    local time = redis.call('TIME')
    if closed and tonumber(closed) > time[1] * 1000 + math.floor(time[2] / 1000) then
        return {'closed'}
    end
    if turn == 'streaming' and owner and owner ~= replica and owner ~= dead then
        return {'busy', owner}
    end
    epoch = epoch + 1
    redis.call('HSET', KEYS[2], 'epoch', epoch, 'owner', replica)
    redis.call('HDEL', KEYS[2], 'batch', 'deleted')
end
if purpose == 'turn' then
    redis.call('HSET', KEYS[2], 'turn', 'streaming')
    redis.call('HDEL', KEYS[2], 'request')
end
redis.call('PEXPIRE', KEYS[2], time_to_live)
if is_kept then
    return {'kept'}
end
redis.call('SPUBLISH', KEYS[3], 'taken')
return {'taken', epoch, redis.call('HGETALL', KEYS[2]), redis.call('XRANGE', KEYS[1], '-', '+')}
