-- Appends events to a conversation's log, for its writer.
--
-- KEYS: log, state, bell
-- ARGV: replica, epoch, the id before these events, the id of the last of them, time to live (ms),
--   "append", or "replace" to begin the log anew,
--   number of fields to set, then their names and values,
--   number of fields to remove, then their names,
--   the id before which entries are dropped, or "",
--   for each entry: its id, the id before it, number of its events, then their names and data
-- Returns "ok", or "lost" if another replica is the writer, or "gap" and the id that the log ends with.
local replica, epoch = ARGV[1], tonumber(ARGV[2])
local stored = redis.call('HMGET', KEYS[2], 'epoch', 'owner', 'last')
local stored_epoch, owner, last = tonumber(stored[1] or '0'), stored[2], stored[3] or ''
if stored_epoch > epoch or (stored_epoch == epoch and owner and owner ~= replica) then
    return {'lost', ''}
end
if ARGV[6] == 'replace' then
    redis.call('DEL', KEYS[1])
elseif last ~= ARGV[3] then
    -- A retry of what was done already, or events are missing.
    return {last == ARGV[4] and 'ok' or 'gap', last}
end
local at = 7
local set = {'epoch', epoch, 'owner', replica, 'last', ARGV[4]}
for _ = 1, tonumber(ARGV[at]) do
    set[#set + 1] = ARGV[at + 1]
    set[#set + 1] = ARGV[at + 2]
    at = at + 2
end
redis.call('HSET', KEYS[2], unpack(set))
at = at + 1
for _ = 1, tonumber(ARGV[at]) do
    redis.call('HDEL', KEYS[2], ARGV[at + 1])
    at = at + 1
end
local drop = ARGV[at + 1]
at = at + 2
while at <= #ARGV do
    local first = at + 3
    local next = first + 2 * tonumber(ARGV[at + 2])
    redis.call('XADD', KEYS[1], ARGV[at], '<', ARGV[at + 1], unpack(ARGV, first, next - 1))
    at = next
end
if drop ~= '' then
    redis.call('XTRIM', KEYS[1], 'MINID', drop)
end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
redis.call('SPUBLISH', KEYS[3], ARGV[4])
return {'ok', ARGV[4]}
