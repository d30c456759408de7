-- Accepts the user's answer to a question, once over all replicas.
--
-- KEYS: state, bell
-- ARGV: number of the question, the answer
-- Returns "accepted", "answered" and the answer that was, or "closed" if the question does not wait.
local field = 'answer:' .. ARGV[1]
local answer = redis.call('HGET', KEYS[1], field)
if answer then
    return {answer == ARGV[2] and 'accepted' or 'answered', answer}
end
local waiting = redis.call('HGET', KEYS[1], 'waiting') or ','
if not string.find(waiting, ',' .. ARGV[1] .. ',', 1, true) then
    return {'closed', ''}
end
redis.call('HSET', KEYS[1], field, ARGV[2])
redis.call('SPUBLISH', KEYS[2], 'answer')
return {'accepted', ARGV[2]}
