-- Does everything that the service does to a conversation, to check that it may.
--
-- KEYS: log, state, bell
redis.call('HSET', KEYS[2], 'epoch', '0', 'owner', '')
redis.call('XADD', KEYS[1], '0-1', '<', '0-0')
redis.call('XTRIM', KEYS[1], 'MINID', '0-1')
redis.call('PEXPIRE', KEYS[1], 1000)
redis.call('TIME')
redis.call('PEXPIRE', KEYS[2], 1000)
redis.call('HGET', KEYS[2], 'epoch')
redis.call('HMGET', KEYS[2], 'epoch')
redis.call('HGETALL', KEYS[2])
redis.call('HKEYS', KEYS[2])
redis.call('HDEL', KEYS[2], 'owner')
redis.call('XRANGE', KEYS[1], '-', '+')
redis.call('SPUBLISH', KEYS[3], 'check')
return redis.call('DEL', KEYS[1], KEYS[2])
