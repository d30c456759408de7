-- Lets the store keep a conversation longer.
--
-- KEYS: log, state
-- ARGV: time to live (ms)
-- Returns the keys of the record of its last request, separated by spaces.
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return redis.call('HMGET', KEYS[2], 'records')[1] or ''
