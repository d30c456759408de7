-- Notes the last request of a conversation, and lets the store keep the conversation longer.
--
-- KEYS: log, state
-- ARGV: the request, the keys of its record separated by spaces, time to live (ms)
redis.call('HSET', KEYS[2], 'request', ARGV[1], 'records', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1
