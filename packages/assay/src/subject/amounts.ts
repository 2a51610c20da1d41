/**
 * What a subject says that it used and cost. Whoever says it may be wrong, or lie: a number that no amount
 * can have (negative, infinite, not a number, a text, more than anybody pays) does not count, so that
 * nothing that is reported can lower a sum, and the trial says so. What does not count is unknown, not zero.
 */
import { SubjectError, type Answer, type Usage } from '@assay/contract'

/** More tokens, and more dollars, than one answer can take. */
const MOST_TOKENS = 1e12
const MOST_USD = 1e6

export const IMPOSSIBLE_COST = 'a cost is no sum of money that can be, and does not count'
export const IMPOSSIBLE_USAGE = 'a count of tokens is no number that can be, and does not count'

/** The amount, never −0; null where it is none. */
export const soundUsd = (usd: unknown): number | null =>
  typeof usd === 'number' && usd >= 0 && usd <= MOST_USD ? usd + 0 : null

/** Whether this is a whole number of tokens that can be. */
export const isTokenCount = (count: unknown): count is number =>
  typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS

/** Each class within its bounds: what is no count is 0, and reasoning is a part of output. */
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

/** Whether these are numbers of tokens at all. */
export function isSoundUsage(usage: Usage): boolean {
  const bounded = boundedUsage(usage)
  return (Object.keys(bounded) as (keyof Usage)[]).every((key) => bounded[key] === usage[key])
}

const CLASSES = ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'] as const

/** The usage where every class of it is a count; null where one is not. */
export const soundUsage = (usage: Usage | null | undefined): Usage | null =>
  typeof usage === 'object' && usage !== null && CLASSES.every((one) => isTokenCount(usage[one]))
    ? usage
    : null

/** The answer with amounts that can be; what does not count is said in its remarks. */
export function soundAnswer(answer: Answer): Answer {
  const usage = soundUsage(answer.usage)
  const usd = soundUsd(answer.usd)
  const spentUsd = answer.spentUsd === undefined ? undefined : (soundUsd(answer.spentUsd) ?? 0)
  const remarks = [
    ...(isLost(answer.usage, usage) ? [IMPOSSIBLE_USAGE] : []),
    ...(isLost(answer.usd, usd) || isLost(answer.spentUsd, soundUsd(answer.spentUsd))
      ? [IMPOSSIBLE_COST]
      : []),
  ]
  if (remarks.length === 0) return answer
  return {
    ...answer,
    usage,
    usd,
    ...(spentUsd === undefined ? {} : { spentUsd }),
    remarks: [...(answer.remarks ?? []), ...remarks],
  }
}

/** The same for an error that says what the failed request cost; its text says what does not count. */
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

/** Whether something was said and nothing of it is left. */
const isLost = (said: unknown, kept: unknown): boolean =>
  said !== null && said !== undefined && kept === null
