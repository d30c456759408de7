-- Gives up a conversation that a replica has taken and has no room for: any other may take it.
--
-- KEYS: state, bell
-- ARGV: replica, epoch
-- Returns 1, or 0 if the replica is not the writer in this epoch any more.
local stored = redis.call('HMGET', KEYS[1], 'owner', 'epoch')
if stored[1] ~= ARGV[1] or stored[2] ~= ARGV[2] then
    return 0
end
redis.call('HSET', KEYS[1], 'owner', '')
redis.call('SPUBLISH', KEYS[2], 'taken')
return 1
