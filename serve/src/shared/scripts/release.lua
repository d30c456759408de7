-- Takes back an answer that was accepted and can't be given. Another one stays: this may run late,
-- or twice.
--
-- KEYS: state
-- ARGV: name of the field of the answer, the answer
-- Returns how many there were.
if redis.call('HMGET', KEYS[1], ARGV[1])[1] ~= ARGV[2] then
    return 0
end
return redis.call('HDEL', KEYS[1], ARGV[1])
