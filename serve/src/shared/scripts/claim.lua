-- Accepts the user's answer to a question, once over all replicas.
--
-- KEYS: state, bell
-- ARGV: number of the question, the answer
-- Returns "accepted", "answered" and the answer that was,
--   "not asked" if the question does not wait, or
--   "closed" if the store has just got back what it had lost. The time comes second.
local field = 'answer:' .. ARGV[1]
local answer = redis.call('HMGET', KEYS[1], field)[1]
if answer then
    return {answer == ARGV[2] and 'accepted' or 'answered', now, answer}
end
local stored = redis.call('HMGET', KEYS[1], 'waiting', 'closed')
local waiting, closed = stored[1] or ',', tonumber(stored[2] or '0')
if closed > now then
    return {'closed', now, ''}
end
if not string.find(waiting, ',' .. ARGV[1] .. ',', 1, true) then
    return {'not asked', now, ''}
end
redis.call('HSET', KEYS[1], field, ARGV[2])
redis.call('SPUBLISH', KEYS[2], 'answer')
return {'accepted', now, ARGV[2]}
