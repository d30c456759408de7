-- Deletes a conversation.
--
-- KEYS: log, state, bell
local removed = redis.call('DEL', KEYS[1], KEYS[2])
redis.call('SPUBLISH', KEYS[3], 'gone')
return removed
