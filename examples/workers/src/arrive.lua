-- A piece has arrived: it waits for its turn, unless it was applied before.
--
-- KEYS: state, waiting
-- ARGV: offset of the piece, the piece, time to live (ms)
-- Returns the offset, the checkpoint ("" before the first piece), and the piece at that offset, if
-- it has arrived.
local stored = redis.call('HMGET', KEYS[1], 'offset', 'checkpoint', 'ended')
local offset = stored[1] or '0'
if not stored[3] and tonumber(ARGV[1]) >= tonumber(offset) then
    redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
    redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
return {offset, stored[2] or '', redis.call('HGET', KEYS[2], offset)}
