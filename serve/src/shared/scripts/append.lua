-- Appends events to the logs of conversations, for their writer.
--
-- KEYS: log, state, bell, for each
-- ARGV: replica, time to live (ms),
--   for how long a conversation that the store has lost stays closed for others (ms),
--   for each conversation: the number of the arguments that follow,
--     epoch, number of the batch in the epoch,
--     the id before these events, the id of the last of them,
--     "append", or "replace" to begin the log anew,
--     "restore" if the store had the conversation, and has lost it or its log,
--     the id before which entries are dropped, or "",
--     number of fields to set, then their names and values,
--     number of fields to remove, then their names,
--     for each entry: its id, the id before it, number of its events, then their names and data
-- Returns for each "ok", or "lost" if another replica is the writer, or "gap" and the id that the
-- log ends with.
local replica, time_to_live, closed = ARGV[1], ARGV[2], tonumber(ARGV[3])

-- The most values, and bytes of values, that a message has.
local max_values, max_bytes = 128, 16384

-- Returns what is told of new entries, which are the arguments from `first` to `final`.
--
-- If nothing else has changed, the message holds them, and who follows the log need not load them.
local function message(newest, has_other_changes, first, final)
    if has_other_changes or final < first or final - first >= max_values then
        return newest
    end
    local bytes = 0
    for at = first, final do
        bytes = bytes + #ARGV[at]
    end
    return bytes > max_bytes and newest or cjson.encode({unpack(ARGV, first, final)})
end

-- Appends to one log what the arguments from `first` to `final` say.
local function append(log, state, bell, first, final)
    local epoch, number = tonumber(ARGV[first]), tonumber(ARGV[first + 1])
    local before, newest, mode, loss, drop = unpack(ARGV, first + 2, first + 6)
    local stored = redis.call('HMGET', state, 'epoch', 'owner', 'last', 'batch')
    local stored_epoch, owner, last = tonumber(stored[1] or '0'), stored[2], stored[3] or ''
    if stored_epoch > epoch or (stored_epoch == epoch and owner and owner ~= replica) then
        return {'lost', ''}
    end
    local stored_number = stored_epoch == epoch and tonumber(stored[4] or '0') or 0
    if number <= stored_number then
        -- It was sent twice. Before a later one, it may not have been stored.
        return {number == stored_number and 'ok' or 'gap', last}
    end
    if mode ~= 'replace' and last ~= before then
        return {'gap', last}
    end
    local set = {'epoch', ARGV[first], 'owner', replica, 'last', newest, 'batch', number}
    if not stored[1] and loss == 'restore' then
        -- A writer of a later epoch may have it, too, and stores it soon.
        set[#set + 1] = 'closed'
        local time = redis.call('TIME')
        set[#set + 1] = time[1] * 1000 + math.floor(time[2] / 1000) + closed
    end
    local at = first + 7
    for _ = 1, 2 * tonumber(ARGV[at]) do
        at = at + 1
        set[#set + 1] = ARGV[at]
    end
    at = at + 1
    local removed = {unpack(ARGV, at + 1, at + tonumber(ARGV[at]))}
    at = at + #removed + 1
    local has_other_changes, entries = at > first + 9 or mode == 'replace', at
    if mode == 'replace' then
        redis.call('DEL', log)
    end
    -- If this fails, the state stays as it is, and the batch is sent again.
    while at <= final do
        local next = at + 3 + 2 * tonumber(ARGV[at + 2])
        redis.call('XADD', log, ARGV[at], '<', ARGV[at + 1], unpack(ARGV, at + 3, next - 1))
        at = next
    end
    redis.call('HSET', state, unpack(set))
    for _, name in ipairs(removed) do
        redis.call('HDEL', state, name)
    end
    if drop ~= '' then
        redis.call('XTRIM', log, 'MINID', drop)
    end
    redis.call('PEXPIRE', log, time_to_live)
    redis.call('PEXPIRE', state, time_to_live)
    redis.call('SPUBLISH', bell, message(newest, has_other_changes, entries, final))
    return {'ok', newest}
end

local answers, at = {}, 4
for number = 1, #KEYS / 3 do
    local key, final = 3 * number, at + tonumber(ARGV[at])
    answers[number] = append(KEYS[key - 2], KEYS[key - 1], KEYS[key], at + 1, final)
    at = final + 1
end
return answers
