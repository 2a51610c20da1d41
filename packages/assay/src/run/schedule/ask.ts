/**
 * Gets one answer from a subject. It waits for a slot in the provider's pool, asks the subject, and tries again if that
 * may help. Every attempt is recorded. The time spent waiting is recorded separately from the time spent answering.
 */
import {
  BudgetUsedUp,
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
import type { ProviderSlots } from '../trial/trial-services.ts'

export interface Asked {
  readonly result: { readonly answer: Answer } | { readonly error: SubjectError }
  /** All attempts to get the answer. Empty if there was only one. */
  readonly attempts: readonly Attempt[]
  readonly answerMs: number
  readonly waitMs: number
  /** The cost of all attempts together. Null if it is unknown. */
  readonly answerUsd: number | null
  /** The part of the cost that is known. */
  readonly spentUsd: number
  /** The number of attempts whose cost is unknown, or known only in part. */
  readonly unknownCosts: number
}

export interface AskContext {
  readonly clock: Clock
  readonly pool: ProviderSlots
  readonly policy: RetryPolicy
  readonly random: () => number
  /** Sends the case to the subject. The default asks turn by turn. */
  readonly answer?: (
    subject: Subject,
    ask: Ask,
    /** Waits until one more request for the same answer may be sent. Must be awaited before each further request. */
    maySend: () => Promise<void> | null,
  ) => Promise<Answer>
  /**
   * Writes an answer to the disk, so that a crash does not lose it. The slot in the pool is held until the answer is
   * written. So a crash loses at most as many answers as there are parallel requests. Returns null if the answer need
   * not be written.
   */
  readonly keep: (asked: Asked, answer: Answer) => Promise<void> | null
  /** Called if the signal stops the trial, with the amount that the provider has reported as spent on it. */
  readonly stopped?: (spentUsd: number) => void
}

/**
 * Gets the answer. The caller must have taken a slot in the pool, and this function frees it. Rejects only if the
 * signal aborts, if the budget is used up, or if the answer cannot be written to the disk.
 */
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

  /** Reports what was paid for a stopped trial. The trial has no result, so the amount would otherwise be lost. */
  const stopped = (thrown: unknown): unknown => {
    const isPaid = thrown instanceof SubjectError || thrown instanceof BudgetUsedUp
    context.stopped?.(failedUsd + (isPaid ? thrown.spentUsd : 0))
    return ask.signal.aborted ? ask.signal.reason : thrown
  }

  for (;;) {
    if (attempts.length > 0) await pool.enter()
    let sentAt = clock.now()
    let error: SubjectError
    try {
      const held = waitToSend(ask.signal, context)
      if (held !== null) await held
      ask.signal.throwIfAborted()
      if (pool.givenUp !== null) {
        pool.leave()
        return done({ error: pool.givenUp }, 0, null, failedUsd)
      }
      sentAt = clock.now()
      const answer = await answerTo(subject, ask, () => waitToSend(ask.signal, context))
      const ms = clock.now() - sentAt
      pool.succeeded()
      attempts.push({ status: null, usd: answer.usd, ms: tenths(ms), waitMs: 0 })
      const usd = answer.usd === null ? null : answer.usd + failedUsd
      if (answer.usd === null) unknownCosts++
      const asked = done({ answer }, ms, usd, (answer.spentUsd ?? answer.usd ?? 0) + failedUsd)
      const kept = context.keep(asked, answer)
      if (kept !== null) await kept
      pool.leave()
      return asked
    } catch (thrown) {
      if (ask.signal.aborted || thrown instanceof RunError || thrown instanceof BudgetUsedUp) {
        pool.leave()
        throw stopped(thrown)
      }
      error = thrown instanceof SubjectError ? thrown : unexpected(thrown)
    }

    const now = clock.now()
    failedUsd += error.spentUsd
    // A refused request costs nothing. But if the error reports usage, the request was paid for, and its cost is
    // unknown.
    if (error.usd === null && (error.usage !== null || error.spentUsd > 0)) unknownCosts++
    const mayRetry = error.retry && attempts.length + 1 < policy.attempts
    const waitMs = mayRetry
      ? backoffMs(policy, attempts.length + 1, error.retryAfterMs, random)
      : null
    pool.failed(error, sentAt, now, waitMs)
    attempts.push({
      status: error.status,
      error: error.message,
      usd: error.usd,
      ms: tenths(now - sentAt),
      waitMs: tenths(waitMs ?? 0),
    })
    const failed = (): Asked =>
      done({ error }, now - sentAt, error.usd === null ? null : failedUsd, failedUsd)
    if (waitMs === null) {
      pool.leave()
      return failed()
    }
    pool.rest()
    try {
      await sleepUnlessOver(waitMs, ask.signal, context)
    } catch (thrown) {
      throw stopped(thrown)
    } finally {
      pool.resume()
    }
  }
}

/**
 * Waits until a request may be sent to the provider. Returns null if no wait is needed: a request may be sent now, or
 * Assay has given up on the provider.
 */
function waitToSend(signal: AbortSignal, context: AskContext): Promise<void> | null {
  const { clock, pool } = context
  if (pool.givenUp !== null) return null
  const hold = pool.holdMs(clock.now())
  return hold === 0 ? null : waitOut(hold, signal, context)
}

async function waitOut(
  first: number | Promise<number>,
  signal: AbortSignal,
  context: AskContext,
): Promise<void> {
  const { clock, pool } = context
  for (let hold = await first; hold > 0; hold = await pool.holdMs(clock.now())) {
    await sleepUnlessOver(hold, signal, context)
    if (pool.givenUp !== null) return
  }
}

/** Sleeps, but returns early if Assay gives up on the provider. */
async function sleepUnlessOver(
  ms: number,
  signal: AbortSignal,
  { clock, pool }: AskContext,
): Promise<void> {
  if (pool.givenUp !== null) return
  try {
    await clock.sleep(ms, AbortSignal.any([signal, pool.over]))
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (pool.givenUp === null) throw error
  }
}

/** Rounds milliseconds to a tenth. That is precise enough and keeps the log short. */
export const tenths = (ms: number): number => Math.round(ms * 10) / 10

/**
 * Turns an unexpected error into a `SubjectError` without a retry. A subject that throws any other error has a bug, and
 * asking it again would not help.
 */
function unexpected(thrown: unknown): SubjectError {
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  return new SubjectError(message, { reason: 'provider-error', retry: false, cause: thrown })
}
