-- Begins every script that must not take effect after its replica has given up.
--
-- ARGV: as the rest of the script has it, then the time of the store in milliseconds until which it
-- may run. Returns "late" and the time of the store if it is later. Any answer of the rest has the
-- time in the same place.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[#ARGV]) then
    return {'late', now}
end
