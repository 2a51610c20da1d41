/**
 * Lua scripts that run inside Redis, so that all workers see the same state. Redis runs each script as one atomic step.
 * The scripts use the time of the Redis server, because the clocks of the machines may differ. The comment of a script
 * lists its keys (KEYS) and arguments (ARGV) in order.
 *
 * BullMQ has its own limiter, but it counts jobs. These scripts count requests to a provider: how many are in flight
 * over all workers and runs, how many were sent within a second, and how much money they may cost.
 */

const NOW = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`

/**
 * Returns what a worker must know about a trial whose job it took: [whether the trial must still run, its answer if
 * there is one, whether that answer is acknowledged].
 *
 * KEYS: open, finished, answers, acks. ARGV: trial, id of its job.
 */
export const TAKE = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] or redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then
  return {0, '', 0}
end
return {1, redis.call('HGET', KEYS[3], ARGV[1]) or '', redis.call('HEXISTS', KEYS[4], ARGV[1])}
`

/**
 * Stores an answer. Returns `kept`, `late` if the trial already has an answer, or `gone` if the job is not current.
 *
 * KEYS: open, finished, answers, out. ARGV: trial, id of its job, answer.
 */
export const ANSWER = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] or redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then
  return 'gone'
end
if redis.call('HSETNX', KEYS[3], ARGV[1], ARGV[3]) == 0 then return 'late' end
redis.call('XADD', KEYS[4], '*', 't', 'answer', 'k', ARGV[1])
return 'kept'
`

/**
 * Reports the result of a trial. Returns `kept`, `late` if the trial already has a result, or `gone` if the job is not
 * current.
 *
 * KEYS: open, finished, out. ARGV: trial, id of its job, result.
 */
export const RESULT = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 'gone' end
if redis.call('HSETNX', KEYS[2], ARGV[1], '1') == 0 then return 'late' end
redis.call('XADD', KEYS[3], '*', 't', 'result', 'k', ARGV[1], 'v', ARGV[3])
return 'kept'
`

/**
 * Takes a slot at a provider. Returns [1] if the slot was taken, [0, milliseconds to wait] if none is free, and [-1,
 * why] if Assay gave up on the provider.
 *
 * KEYS: state, leases, demand, run-state, run-leases. ARGV: lease, run, ttl, start, most, probes, owner.
 */
export const ENTER = `${NOW}
local given = redis.call('HGET', KEYS[4], 'givenUp')
if given then return {-1, given} end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now)
redis.call('ZADD', KEYS[3], now, ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - 2000)
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], 3600000) end
redis.call('PEXPIRE', KEYS[4], 604800000)
redis.call('PEXPIRE', KEYS[5], 604800000)
local hold = tonumber(redis.call('HGET', KEYS[1], 'notBefore') or '0') - now
if hold > 0 then return {0, hold} end
local isProbe = ARGV[6] == '1' and redis.call('HGET', KEYS[4], 'answered') ~= '1'
if isProbe then
  local probe = redis.call('HMGET', KEYS[4], 'probe', 'probeUntil')
  if probe[1] and probe[1] ~= ARGV[7] and tonumber(probe[2]) > now then return {0, 100} end
end
local most = tonumber(ARGV[5])
local limit = math.min(tonumber(redis.call('HGET', KEYS[1], 'limit') or ARGV[4]), most)
local runs = redis.call('ZCARD', KEYS[3])
if runs > 1 and redis.call('ZCARD', KEYS[5]) >= math.ceil(limit / runs) then return {0, 50} end
if redis.call('ZCARD', KEYS[2]) >= limit then return {0, 50} end
if isProbe then redis.call('HSET', KEYS[4], 'probe', ARGV[7], 'probeUntil', now + ARGV[3]) end
redis.call('ZADD', KEYS[2], now + ARGV[3], ARGV[1])
redis.call('ZADD', KEYS[5], now + ARGV[3], ARGV[1])
return {1, 0}
`

/**
 * Frees a slot. Until a provider has answered, only one trial, the probe, may ask it. If `owner` is the probe and has
 * not sent a request, another trial may become the probe. `owner` is empty if a request was sent.
 *
 * KEYS: leases, run-leases, run-state. ARGV: lease, owner.
 */
export const LEAVE = `
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
if ARGV[2] ~= '' and redis.call('HGET', KEYS[3], 'probe') == ARGV[2] then
  redis.call('HDEL', KEYS[3], 'probe', 'probeUntil')
end
return 1
`

/**
 * Removes the value of `givenUp` if it is still the given one. Called if that value has no valid signature.
 *
 * KEYS: run-state. ARGV: value.
 */
export const DROP_GIVEN_UP = `
if redis.call('HGET', KEYS[1], 'givenUp') == ARGV[1] then redis.call('HDEL', KEYS[1], 'givenUp') end
return 1
`

/**
 * Renews the locks of jobs. A lock may have expired while Redis could not be reached. It is then taken again, if no
 * other worker has the job. Returns the jobs that now belong to another worker.
 *
 * KEYS: stalled, active. ARGV: prefix, ttl, then the job and the token of each lock.
 */
export const RENEW_LOCKS = `
local lost = {}
for i = 3, #ARGV, 2 do
  local lock = ARGV[1] .. ARGV[i] .. ':lock'
  local owner = redis.call('GET', lock)
  if owner == ARGV[i + 1] or (not owner and redis.call('LPOS', KEYS[2], ARGV[i])) then
    redis.call('SET', lock, ARGV[i + 1], 'PX', ARGV[2])
    redis.call('SREM', KEYS[1], ARGV[i])
  else
    table.insert(lost, ARGV[i])
  end
end
return lost
`

/**
 * Removes recorded trials. If the answer of a trial was requested more than once, that is counted. All of this is one
 * step, so that each trial is counted once, even if the coordinator is lost.
 *
 * KEYS: open, answers, acks, finished, asked, again. ARGV: trials.
 */
export const COLLECTED = `
for i = 1, #ARGV do
  local asked = tonumber(redis.call('HGET', KEYS[5], ARGV[i]) or '0')
  if asked > 1 then redis.call('INCRBY', KEYS[6], asked - 1) end
  for j = 1, 5 do redis.call('HDEL', KEYS[j], ARGV[i]) end
end
return 1
`

/**
 * Stores which lanes a worker can serve, unless the run has ended.
 *
 * KEYS: run, fit. ARGV: worker, fit.
 */
export const SAY_FIT = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], 86400000)
return 1
`

/**
 * Renews the slots that a worker still holds.
 *
 * KEYS: leases, run-leases, run-state. ARGV: ttl, owner, then the leases.
 */
export const RENEW = `${NOW}
for i = 3, #ARGV do
  redis.call('ZADD', KEYS[1], 'XX', now + ARGV[1], ARGV[i])
  redis.call('ZADD', KEYS[2], 'XX', now + ARGV[1], ARGV[i])
end
return 1
`

/**
 * Decides whether a request may be sent now, and counts it if so. Returns [milliseconds to wait, why Assay gave up on
 * the provider].
 *
 * KEYS: state, sends, run-state, asked. ARGV: rate, id, owner, ttl, trial (empty if the trial was already counted).
 */
export const SEND = `${NOW}
local given = redis.call('HGET', KEYS[3], 'givenUp')
if given then return {0, given} end
local hold = tonumber(redis.call('HGET', KEYS[1], 'notBefore') or '0') - now
if hold > 0 then return {hold, ''} end
if redis.call('HGET', KEYS[3], 'probe') == ARGV[3] then
  redis.call('HSET', KEYS[3], 'probeUntil', now + ARGV[4])
end
local rate = tonumber(ARGV[1])
if rate > 0 then
  local window = 1050
  local count = math.floor(rate)
  if rate < 1 then count = 1; window = math.ceil(1050 / rate) end
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - window)
  if redis.call('ZCARD', KEYS[2]) >= count then
    local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
    return {math.max(1, tonumber(first[2]) + window - now), ''}
  end
  redis.call('ZADD', KEYS[2], now, ARGV[2])
  redis.call('PEXPIRE', KEYS[2], window * 2)
end
if ARGV[5] ~= '' then redis.call('HINCRBY', KEYS[4], ARGV[5], 1) end
return {0, ''}
`

/**
 * Records that a provider has answered. The limit on parallel requests grows by the same rules as in the local
 * scheduler.
 *
 * KEYS: state, run-state. ARGV: start, most.
 */
export const SUCCEEDED = `
redis.call('HSET', KEYS[2], 'answered', '1')
redis.call('HDEL', KEYS[2], 'refusedSince', 'probe', 'probeUntil')
local most = tonumber(ARGV[2])
local limit = tonumber(redis.call('HGET', KEYS[1], 'limit') or ARGV[1])
if limit >= most then return limit end
if redis.call('HGET', KEYS[1], 'refused') ~= '1' then
  limit = limit + 1
else
  local clean = redis.call('HINCRBY', KEYS[1], 'clean', 1)
  if clean >= limit then
    redis.call('HSET', KEYS[1], 'clean', 0)
    limit = limit + 1
  end
end
redis.call('HSET', KEYS[1], 'limit', limit)
redis.call('PEXPIRE', KEYS[1], 3600000)
return limit
`

/**
 * Records that a request failed. Returns [what, until]. `what` is empty, `wait` (report that the provider asks to
 * wait), `long` (it asks for too long a wait) or `unanswered` (it has never answered).
 *
 * KEYS: state, run-state, leases. ARGV: start, cut (1 or 0), retry-after (ms, or -1), wait (ms until the next attempt,
 * or -1 if there is none), refused (1 or 0), most wait, ms since the request was sent, lost (1 or 0), late (1 or 0).
 */
export const FAILED = `${NOW}
if redis.call('HGET', KEYS[2], 'givenUp') then return {'', 0} end
if ARGV[2] == '1' then
  redis.call('HSET', KEYS[1], 'clean', 0, 'refused', 1)
  if now - ARGV[7] >= tonumber(redis.call('HGET', KEYS[1], 'cutAt') or '0') then
    local limit = tonumber(redis.call('HGET', KEYS[1], 'limit') or ARGV[1])
    redis.call('HSET', KEYS[1], 'cutAt', now, 'limit', math.max(1, math.floor(limit / 2)))
  end
end
local notBefore = tonumber(redis.call('HGET', KEYS[1], 'notBefore') or '0')
local retryAfter = tonumber(ARGV[3])
if retryAfter >= 0 and now + retryAfter > notBefore then
  notBefore = now + retryAfter
  redis.call('HSET', KEYS[1], 'notBefore', string.format('%.0f', notBefore))
end
redis.call('PEXPIRE', KEYS[1], 3600000 + math.max(0, notBefore - now))
local wait = tonumber(ARGV[4])
local untilTime = now + math.max(0, wait)
if notBefore > now then untilTime = notBefore end
if ARGV[5] == '1' then
  redis.call('HSETNX', KEYS[2], 'refusedSince', string.format('%.0f', now))
  if untilTime - tonumber(redis.call('HGET', KEYS[2], 'refusedSince')) > tonumber(ARGV[6]) then
    return {'long', string.format('%.0f', untilTime)}
  end
end
if wait < 0 and redis.call('HGET', KEYS[2], 'answered') ~= '1' then
  if ARGV[8] ~= '1' then
    redis.call('HSET', KEYS[2], 'answered', '1')
  elseif ARGV[9] ~= '1' or redis.call('HINCRBY', KEYS[2], 'lateProbes', 1) >= 2 then
    return {'unanswered', 0}
  end
  redis.call('HDEL', KEYS[2], 'probe', 'probeUntil')
end
local isHeld = notBefore - now >= 5000
local isIdle = redis.call('ZCARD', KEYS[3]) <= 1 and untilTime - now >= 5000
if (isHeld or isIdle) and untilTime >= tonumber(redis.call('HGET', KEYS[2], 'shownUntil') or '0') + 1000 then
  redis.call('HSET', KEYS[2], 'shownUntil', string.format('%.0f', untilTime))
  return {'wait', string.format('%.0f', untilTime)}
end
return {'', 0}
`

/** Counts the reservations of lost workers as spent, because nobody knows what their requests cost. */
const EXPIRE_RESERVATIONS = `
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)) do
  local amount = tonumber(redis.call('HGET', KEYS[3], id) or '0')
  redis.call('HINCRBY', KEYS[1], 'reserved', string.format('%.0f', -amount))
  redis.call('HINCRBY', KEYS[1], 'spent', string.format('%.0f', amount))
  redis.call('HSET', KEYS[3], 'lost:' .. id, string.format('%.0f', amount))
  redis.call('ZREM', KEYS[2], id)
  redis.call('HDEL', KEYS[3], id)
end
`

/**
 * Reserves the expected cost of a request, in nano-dollars. Returns [1, amount], or [0, amount that others have
 * reserved, expected cost]. If Redis has lost the budget, the result says that others have reserved something. So
 * workers wait until the coordinator has written the budget again. If the same reservation is requested again after a
 * lost connection, the result is the earlier one.
 *
 * KEYS: budget, reservations, reserved. ARGV: id, subject, estimate, ttl.
 */
export const RESERVE = `${NOW}${EXPIRE_RESERVATIONS}
local mine = redis.call('HGET', KEYS[3], ARGV[1])
if mine then return {1, mine, '0'} end
local known = redis.call('HMGET', KEYS[1], 'nanos:' .. ARGV[2], 'estimated:' .. ARGV[2], 'answers:' .. ARGV[2])
local estimate = tonumber(ARGV[3])
local amount = math.max(0, estimate)
if known[1] then
  if estimate < 0 or tonumber(known[2]) == 0 then
    amount = tonumber(known[1]) / tonumber(known[3])
  else
    amount = estimate * tonumber(known[1]) / tonumber(known[2])
  end
end
amount = math.floor(amount + 0.5)
local state = redis.call('HMGET', KEYS[1], 'limit', 'spent', 'reserved', 'paid:' .. ARGV[2])
if not state[1] then return {0, '1', '0'} end
local reserved = tonumber(state[3] or '0')
local left = tonumber(state[1] or '0') - tonumber(state[2] or '0') - reserved
if amount > left then
  if state[4] or reserved > 0 or left <= 0 then
    return {0, string.format('%.0f', reserved), string.format('%.0f', amount)}
  end
  amount = left
end
redis.call('HINCRBY', KEYS[1], 'reserved', string.format('%.0f', amount))
redis.call('ZADD', KEYS[2], now + ARGV[4], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[1], string.format('%.0f', amount))
return {1, string.format('%.0f', amount), '0'}
`

/**
 * Releases a reservation and adds the cost to the amount spent. `charged` is the part that was already added.
 *
 * KEYS: budget, reservations, reserved. ARGV: id, subject, estimate, spent, unknown-costs, is-answer, is-guessed,
 * charged.
 */
export const RELEASE = `
local amount = tonumber(redis.call('HGET', KEYS[3], ARGV[1]) or '-1')
local before = 0
if amount >= 0 then
  redis.call('HINCRBY', KEYS[1], 'reserved', string.format('%.0f', -amount))
else
  amount = tonumber(redis.call('HGET', KEYS[3], 'lost:' .. ARGV[1]) or '0')
  before = amount
end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1], 'lost:' .. ARGV[1])
local spent = tonumber(ARGV[4])
if ARGV[7] == '1' then spent = math.max(spent, amount * tonumber(ARGV[5])) end
redis.call('HINCRBY', KEYS[1], 'spent', string.format('%.0f', math.max(0, spent - tonumber(ARGV[8])) - before))
if ARGV[6] == '1' or tonumber(ARGV[5]) > 0 then redis.call('HSET', KEYS[1], 'paid:' .. ARGV[2], '1') end
if ARGV[6] == '1' and tonumber(ARGV[5]) == 0 then
  redis.call('HINCRBY', KEYS[1], 'nanos:' .. ARGV[2], ARGV[4])
  redis.call('HINCRBY', KEYS[1], 'estimated:' .. ARGV[2], string.format('%.0f', math.max(0, tonumber(ARGV[3]))))
  redis.call('HINCRBY', KEYS[1], 'answers:' .. ARGV[2], '1')
end
return 1
`

/**
 * Renews the reservations that a worker still holds.
 *
 * KEYS: reservations. ARGV: ttl, then the ids.
 */
export const RENEW_RESERVATIONS = `${NOW}
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], 'XX', now + ARGV[1], ARGV[i]) end
return 1
`
