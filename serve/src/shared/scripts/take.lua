-- Makes a replica the writer of a conversation, unless another one that lives writes a turn.
--
-- KEYS: log, state, bell
-- ARGV: replica, the epoch in which it is the writer, or 0, time to live (ms),
--   for how long the beginning of a turn is reserved (ms), a replica that is dead, or "",
--   "create" if it may be new,
--   "turn" if it begins a turn: no other replica takes the conversation until the turn is stored,
--   or the reservation has ended, because the replica may never hear of it;
--   "piece" if it adds to a turn in pieces; or "",
--   the version of what it can read, the last event that another writer has told it of, or "",
--   the name of the message whose first piece is pushed, or ""
-- Returns "none", "unreadable" if another version has written it,
--   "closed" if the store has lost something, or has just got back what it had lost,
--   "busy" or "reserved" and the writer, "kept" if the replica is the writer already,
--   or "taken", the epoch, the state and the log. The time comes second.
local replica, own_epoch, time_to_live, reservation, dead, may_create, purpose, version, known, message = unpack(ARGV)
local stored = redis.call('HMGET', KEYS[2], 'epoch', 'owner', 'turn', 'deleted', 'closed', 'last')
local epoch, owner, turn, deleted, closed = tonumber(stored[1] or '0'), stored[2], stored[3], stored[4], stored[5]
own_epoch = tonumber(own_epoch)
if not stored[1] and own_epoch > 0 then
    -- The store has lost it, and gets it again.
    return {'kept', now}
end
local is_kept = own_epoch > epoch or (own_epoch == epoch and owner == replica)
if not is_kept and (not stored[1] or deleted) and may_create ~= 'create' then
    return {'none', now}
end
if closed and tonumber(closed) > now and (not is_kept or purpose ~= '') then
    return {'closed', now}
end
local known_epoch, known_number = string.match(known, '^(%d+)-(%d+)$')
if known_epoch and not is_kept and not deleted then
    local last_epoch, last_number = string.match(stored[6] or '0-0', '^(%d+)-(%d+)$')
    known_epoch, last_epoch = tonumber(known_epoch), tonumber(last_epoch)
    if last_epoch < known_epoch or (last_epoch == known_epoch and tonumber(last_number) < tonumber(known_number)) then
        -- The writer adds again what the store has lost.
        return {'closed', now}
    end
end
if not is_kept and owner and owner ~= replica and owner ~= dead then
    if turn == 'streaming' then
        return {'busy', now, owner}
    end
    local reserved = string.match(turn or '', '^reserved:(%d+)$')
    if reserved and tonumber(reserved) > now then
        return {'reserved', now, owner}
    end
end
local dialogue = not is_kept and redis.call('HMGET', KEYS[2], 'dialogue')[1]
if dialogue and string.match(dialogue, '^{"version":(%d+),') ~= version then
    return {'unreadable', now}
end
local pieces = message ~= '' and redis.call('HMGET', KEYS[2], 'pieces')[1]
if pieces and pieces ~= '' then
    local is_read, name = pcall(function() return cjson.decode(pieces).message end)
    if is_read and name == message then
        -- It is sent again, and begins no turn.
        purpose = 'piece'
    end
end
if not is_kept then
    -- Later than any that the store may have lost, or had for a conversation that has ended and had
    -- the same id. So no two writers give their events the same ids.
    epoch = math.max(epoch + 1, now)
elseif own_epoch > epoch then
    -- The store has lost that the replica became the writer.
    epoch = own_epoch
end
if epoch ~= tonumber(stored[1] or '0') then
    redis.call('HSET', KEYS[2], 'epoch', string.format('%d', epoch), 'owner', replica)
    redis.call('HDEL', KEYS[2], 'batch', 'deleted')
end
-- A turn in pieces has started: each of them may come to another replica, and is stored before it
-- is acknowledged.
if purpose == 'turn' and turn ~= 'pieces' and not (is_kept and turn == 'streaming') then
    redis.call('HSET', KEYS[2], 'turn', string.format('reserved:%d', now + reservation))
    redis.call('HDEL', KEYS[2], 'request', 'records')
end
-- The log ends no earlier than the state that tells of it.
redis.call('PEXPIRE', KEYS[1], time_to_live)
redis.call('PEXPIRE', KEYS[2], time_to_live)
if is_kept then
    return {'kept', now}
end
redis.call('SPUBLISH', KEYS[3], 'taken')
return {'taken', now, epoch, redis.call('HGETALL', KEYS[2]), redis.call('XRANGE', KEYS[1], '-', '+')}
