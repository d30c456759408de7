-- Returns a conversation: the fields of its state, and the entries of its log after an id.
--
-- KEYS: log, state
-- ARGV: the id, or "-"
return {redis.call('HGETALL', KEYS[2]), redis.call('XRANGE', KEYS[1], ARGV[1], '+')}
