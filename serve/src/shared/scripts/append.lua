-- Appends events to a conversation's log, for its writer.
--
-- KEYS: log, state, bell
-- ARGV: replica, epoch, number of the batch in the epoch,
--   the id before these events, the id of the last of them, time to live (ms),
--   "append", or "replace" to begin the log anew,
--   for how long a conversation that the store has lost stays closed for others (ms),
--   number of fields to set, then their names and values,
--   number of fields to remove, then their names,
--   the id before which entries are dropped, or "",
--   for each entry: its id, the id before it, number of its events, then their names and data
-- Returns "ok", or "lost" if another replica is the writer, or "gap" and the id that the log ends with.
local replica, epoch, number, before, newest = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]
local time_to_live, mode, closed = ARGV[6], ARGV[7], tonumber(ARGV[8])
local stored = redis.call('HMGET', KEYS[2], 'epoch', 'owner', 'last', 'batch')
local stored_epoch, owner, last = tonumber(stored[1] or '0'), stored[2], stored[3] or ''
if stored_epoch > epoch or (stored_epoch == epoch and owner and owner ~= replica) then
    return {'lost', ''}
end
if stored_epoch == epoch and number < tonumber(stored[4] or '0') then
    -- It was sent twice, and arrives after a later one.
    return {'ok', last}
end
if mode == 'replace' then
    redis.call('DEL', KEYS[1])
elseif last ~= before then
    -- A retry of what was done already, or events are missing.
    return {last == newest and 'ok' or 'gap', last}
end
local at = 9
local set = {'epoch', epoch, 'owner', replica, 'last', newest, 'batch', number}
if not stored[1] and closed > 0 then
    -- A writer of a later epoch may have it, too, and stores it soon.
    set[#set + 1] = 'closed'
    set[#set + 1] = redis.call('TIME')[1] * 1000 + closed
end
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
redis.call('PEXPIRE', KEYS[1], time_to_live)
redis.call('PEXPIRE', KEYS[2], time_to_live)
redis.call('SPUBLISH', KEYS[3], newest)
return {'ok', newest}
