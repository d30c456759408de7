-- Returns conversations: for each the fields of its state, and the entries of its log after an id.
--
-- With an id, what may be large and is not needed to follow the log is left out: the items, a
-- request that failed, and what continues the conversation while a turn streams, or if the replica
-- itself has written that.
--
-- KEYS: log, state, for each
-- ARGV: the id, or "-", and "own" if the replica is the writer, or "", for each
local function newest_of(state, is_own)
    local turn, names = redis.call('HMGET', state, 'turn')[1], {}
    local needs_next = not is_own and turn ~= 'streaming' and turn ~= 'pieces'
    for _, name in ipairs(redis.call('HKEYS', state)) do
        if name ~= 'view' and name ~= 'failed' and (name ~= 'next' or needs_next) then
            names[#names + 1] = name
        end
    end
    local fields, values = {}, #names > 0 and redis.call('HMGET', state, unpack(names)) or {}
    for index, name in ipairs(names) do
        fields[2 * index - 1], fields[2 * index] = name, values[index]
    end
    return fields
end

local conversations = {}
for at = 1, #KEYS, 2 do
    local log, state, first, is_own = KEYS[at], KEYS[at + 1], ARGV[at], ARGV[at + 1] == 'own'
    local fields = first == '-' and redis.call('HGETALL', state) or newest_of(state, is_own)
    conversations[#conversations + 1] = {fields, redis.call('XRANGE', log, first, '+')}
end
return conversations
