-- Returns conversations: for each the fields of its state, and the entries of its log after an id.
--
-- KEYS: log, state, for each
-- ARGV: the id, or "-", for each
local conversations = {}
for number, first in ipairs(ARGV) do
    local log, state = KEYS[2 * number - 1], KEYS[2 * number]
    conversations[number] = {redis.call('HGETALL', state), redis.call('XRANGE', log, first, '+')}
end
return conversations
