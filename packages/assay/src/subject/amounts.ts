/**
 * Checks the usage and cost that a subject reports, because a report can be wrong or dishonest. An impossible number
 * (negative, infinite, not a number, a text, or too large) is ignored. Otherwise a report could lower a sum. The amount
 * is then unknown, not zero. A remark on the trial says that a number was ignored.
 */
import { SubjectError, type Answer, type Usage } from '@assay/contract'

/** The most tokens and dollars that one answer can plausibly use. */
const MOST_TOKENS = 1e12
const MOST_USD = 1e6

export const IMPOSSIBLE_COST = 'a cost is no sum of money that can be, and does not count'
export const IMPOSSIBLE_USAGE = 'a count of tokens is not a number that can be, and does not count'

/** Returns the cost, with 0 in place of −0. Returns null if it is not a possible cost. */
export const soundUsd = (usd: unknown): number | null =>
  typeof usd === 'number' && usd >= 0 && usd <= MOST_USD ? usd + 0 : null

/** Whether this is a possible number of tokens: whole, not negative, not too large. */
export const isTokenCount = (count: unknown): count is number =>
  typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS

/**
 * Returns the usage with each token count within its limits. A count that is not valid becomes 0. Output includes
 * reasoning, so there are at most as many reasoning tokens as output tokens.
 */
export function boundedUsage({ input, cacheRead, cacheWrite, output, reasoning }: Usage): Usage {
  const whole = (count: number): number =>
    Number.isFinite(count) ? Math.min(MOST_TOKENS, Math.max(0, Math.round(count))) + 0 : 0
  const written = whole(output)
  return {
    input: whole(input),
    cacheRead: whole(cacheRead),
    cacheWrite: whole(cacheWrite),
    output: written,
    reasoning: Math.min(written, whole(reasoning)),
  }
}

/** Whether all counts are possible numbers of tokens. */
export function isSoundUsage(usage: Usage): boolean {
  const bounded = boundedUsage(usage)
  return (Object.keys(bounded) as (keyof Usage)[]).every((key) => bounded[key] === usage[key])
}

const CLASSES = ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'] as const

/** Returns the usage if every token count is valid. Otherwise returns null. */
export const soundUsage = (usage: Usage | null | undefined): Usage | null =>
  typeof usage === 'object' && usage !== null && CLASSES.every((one) => isTokenCount(usage[one]))
    ? usage
    : null

/** Returns the answer without impossible amounts. The answer's remarks say which amounts were removed. */
export function soundAnswer(answer: Answer): Answer {
  const usage = soundUsage(answer.usage)
  const usd = soundUsd(answer.usd)
  const isUsageLost = isLost(answer.usage, usage)
  const isCostLost = isLost(answer.usd, usd) || isLost(answer.spentUsd, soundUsd(answer.spentUsd))
  if (!isUsageLost && !isCostLost) return answer
  const spentUsd = answer.spentUsd === undefined ? undefined : (soundUsd(answer.spentUsd) ?? 0)
  const remarks = [
    ...(isUsageLost ? [IMPOSSIBLE_USAGE] : []),
    ...(isCostLost ? [IMPOSSIBLE_COST] : []),
  ]
  return {
    ...answer,
    usage,
    usd,
    ...(spentUsd === undefined ? {} : { spentUsd }),
    remarks: [...(answer.remarks ?? []), ...remarks],
  }
}

/**
 * Returns an error without impossible amounts. Such an error reports the cost of a failed request. Its message says
 * which amounts were removed.
 */
export function soundFailure(error: SubjectError): SubjectError {
  const { usage, usd, spentUsd } = error
  const sound = { usage: soundUsage(usage), usd: soundUsd(usd), spentUsd: soundUsd(spentUsd) ?? 0 }
  const remarks = [
    ...(isLost(usage, sound.usage) ? [IMPOSSIBLE_USAGE] : []),
    ...(isLost(usd, sound.usd) || isLost(spentUsd, soundUsd(spentUsd)) ? [IMPOSSIBLE_COST] : []),
  ]
  if (remarks.length === 0) return error
  const { reason, retry, status, retryAfterMs, cause } = error
  const text = [error.message, ...remarks].join('; ')
  return new SubjectError(text, { reason, retry, status, retryAfterMs, cause, ...sound })
}

/** Whether an amount was reported but removed as impossible. */
const isLost = (said: unknown, kept: unknown): boolean =>
  said !== null && said !== undefined && kept === null
