/**
 * Gets one answer from a subject: waits for a place in its pool, asks, and asks again where that may
 * help. Every attempt is kept; time spent waiting is kept apart from time spent answering.
 */
import {
  SubjectError,
  type Answer,
  type Ask,
  type Attempt,
  type Subject,
  RunError,
} from '@assay/contract'
import { backoffMs, type RetryPolicy } from './backoff.ts'
import type { Clock } from './clock.ts'
import { askTurns } from './ask-turns.ts'
import type { Pool } from './provider-limiter.ts'

export interface Asked {
  readonly result: { readonly answer: Answer } | { readonly error: SubjectError }
  /** Only where there was more than one. */
  readonly attempts: readonly Attempt[]
  readonly answerMs: number
  readonly waitMs: number
  /** Over all attempts. */
  readonly answerUsd: number | null
  /** As far as it is known. */
  readonly spentUsd: number
  /** Attempts that cost something nobody knows, or not all of it. */
  readonly unknownCosts: number
}

export interface AskContext {
  readonly clock: Clock
  readonly pool: Pool
  readonly policy: RetryPolicy
  readonly random: () => number
  /** How it is asked; turn by turn unless given. */
  readonly answer?: (subject: Subject, ask: Ask) => Promise<Answer>
  /**
   * Puts an answer where a death cannot take it. The place in the pool is kept until then, so that never
   * more answers are at risk than requests are allowed at once.
   */
  readonly keep: (asked: Asked, answer: Answer) => Promise<void>
}

/** Needs a place in the pool, taken for it, and gives it back. Rejects only when the signal aborts or the answer cannot be kept. */
export async function askSubject(subject: Subject, ask: Ask, context: AskContext): Promise<Asked> {
  const { clock, pool, policy, random, answer: answerTo = askTurns } = context
  const from = clock.now()
  const attempts: Attempt[] = []
  let failedUsd = 0
  let unknownCosts = 0

  const done = (
    result: Asked['result'],
    measuredMs: number,
    answerUsd: number | null,
    spent: number,
  ): Asked => {
    const answerMs = ('answer' in result ? result.answer.ms : undefined) ?? measuredMs
    return {
      result,
      attempts: attempts.length > 1 ? attempts : [],
      answerMs,
      waitMs: Math.max(0, clock.now() - from - measuredMs),
      answerUsd,
      spentUsd: spent,
      unknownCosts,
    }
  }

  for (;;) {
    if (attempts.length > 0) await pool.enter()
    let sentAt = clock.now()
    let error: SubjectError
    try {
      const hold = pool.holdMs(sentAt)
      if (hold > 0) await clock.sleep(hold, ask.signal)
      ask.signal.throwIfAborted()
      sentAt = clock.now()
      const answer = await answerTo(subject, ask)
      const ms = clock.now() - sentAt
      pool.succeeded()
      attempts.push({ status: null, usd: answer.usd, ms: tenths(ms), waitMs: 0 })
      const usd = answer.usd === null ? null : answer.usd + failedUsd
      if (answer.usd === null) unknownCosts++
      const asked = done({ answer }, ms, usd, (answer.spentUsd ?? answer.usd ?? 0) + failedUsd)
      await context.keep(asked, answer)
      return asked
    } catch (thrown) {
      if (ask.signal.aborted || thrown instanceof RunError) throw thrown
      error = thrown instanceof SubjectError ? thrown : unexpected(thrown)
    } finally {
      pool.leave()
    }

    const now = clock.now()
    if (error.reason === 'rate-limited') pool.refused(sentAt, now, error.retryAfterMs)
    failedUsd += error.spentUsd
    // Who was refused has used nothing; who says what was used has paid for it.
    if (error.usd === null && (error.usage !== null || error.spentUsd > 0)) unknownCosts++
    const again = error.retry && attempts.length + 1 < policy.attempts
    const waitMs = again ? backoffMs(policy, attempts.length + 1, error.retryAfterMs, random) : 0
    attempts.push({
      status: error.status,
      error: error.message,
      usd: error.usd,
      ms: tenths(now - sentAt),
      waitMs: tenths(waitMs),
    })
    if (!again)
      return done({ error }, now - sentAt, error.usd === null ? null : failedUsd, failedUsd)
    pool.rest()
    try {
      await clock.sleep(waitMs, ask.signal)
    } finally {
      pool.resume()
    }
  }
}

/** Milliseconds to a tenth: enough for people, and short in the log. */
export const tenths = (ms: number): number => Math.round(ms * 10) / 10

/** A subject that throws something else is at fault itself; asking again would not mend it. */
function unexpected(thrown: unknown): SubjectError {
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  return new SubjectError(message, { reason: 'provider-error', retry: false, cause: thrown })
}
