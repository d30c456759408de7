-- Appends the events of a piece, and moves the state past it: both, or neither.
--
-- KEYS: state, waiting, events
-- ARGV: offset of the piece, offset after it, the checkpoint after it, or "" after the last piece,
--   time to live (ms), then each event
-- Returns nothing if another worker has applied the piece. Otherwise the offset, the checkpoint,
-- and the next piece, if it has arrived.
local stored = redis.call('HMGET', KEYS[1], 'offset', 'ended')
if stored[2] or (stored[1] or '0') ~= ARGV[1] then
    return false
end
for index = 5, #ARGV do
    redis.call('XADD', KEYS[3], ARGV[1] .. '-' .. (index - 4), 'event', ARGV[index])
end
redis.call('HDEL', KEYS[2], ARGV[1])
if ARGV[3] == '' then
    redis.call('HSET', KEYS[1], 'offset', ARGV[2], 'ended', 1)
    redis.call('HDEL', KEYS[1], 'checkpoint')
else
    redis.call('HSET', KEYS[1], 'offset', ARGV[2], 'checkpoint', ARGV[3])
end
for index = 1, 3 do
    redis.call('PEXPIRE', KEYS[index], ARGV[4])
end
return {ARGV[2], ARGV[3], redis.call('HGET', KEYS[2], ARGV[2])}
