/**
 * Sends the requests of an agent to its model. Each request takes a slot of the provider, is tried again like the
 * requests of a plain model, and counts against the budget of the run.
 */
import { BudgetUsedUp, SubjectError, type ModelRequests } from '@assay/contract'
import { backoffMs } from '../schedule/backoff.ts'
import type { Reservation } from '../schedule/budget.ts'
import type { ProviderSlots, TrialServices } from './trial-services.ts'

export interface ModelRequestsOptions {
  readonly services: Pick<TrialServices, 'budget' | 'clock' | 'policy'>
  readonly pools: ReadonlyMap<string, ProviderSlots>
  /** The money that is reserved for the trial. Null if nothing was reserved. */
  readonly reserved: Reservation | null
  readonly random: () => number
  /** Called when a slot is free again. */
  readonly released: () => void
}

export function modelRequests(options: ModelRequestsOptions): ModelRequests {
  const { pools, reserved, services, released } = options
  return {
    async send(name, signal, attempt) {
      const pool = pools.get(name)
      if (pool === undefined) throw new Error(`there is no pool for ${name} in this run`)
      for (let failed = 0; ; failed++) {
        if (services.budget.isUsedUp) throw new BudgetUsedUp('the budget of the run is used up')
        await pool.enter()
        let waitMs: number
        try {
          const result = await tryOnce(options, pool, signal, attempt)
          if ('value' in result) return result.value
          waitMs = waitAfter(options, pool, result, failed)
        } finally {
          pool.leave()
          released()
        }
        await services.clock.sleep(waitMs, AbortSignal.any([signal, pool.over]))
      }
    },
    paid(usd) {
      if (reserved !== null) services.budget.charge(reserved, usd)
    },
  }
}

type Tried<T> = { readonly value: T } | { readonly error: SubjectError; readonly sentAt: number }

/** Waits until the provider accepts requests, then sends one. */
async function tryOnce<T>(
  { services: { clock, budget } }: ModelRequestsOptions,
  pool: ProviderSlots,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<Tried<T>> {
  for (;;) {
    const hold = await pool.holdMs(clock.now())
    if (hold <= 0) break
    if (pool.givenUp !== null) throw pool.givenUp
    await clock.sleep(hold, AbortSignal.any([signal, pool.over]))
  }
  if (pool.givenUp !== null) throw pool.givenUp
  signal.throwIfAborted()
  // Other trials may have used up the budget while this request waited.
  if (budget.isUsedUp) throw new BudgetUsedUp('the budget of the run is used up')
  const sentAt = clock.now()
  try {
    const value = await attempt()
    pool.succeeded()
    return { value }
  } catch (error) {
    if (signal.aborted || !(error instanceof SubjectError)) throw error
    return { error, sentAt }
  }
}

/** Returns how long to wait before the next attempt. Throws the error if no further attempt is allowed. */
function waitAfter(
  { services: { clock, policy }, random }: ModelRequestsOptions,
  pool: ProviderSlots,
  { error, sentAt }: { readonly error: SubjectError; readonly sentAt: number },
  failed: number,
): number {
  const mayRetry = error.retry && failed + 1 < policy.attempts
  const waitMs = mayRetry ? backoffMs(policy, failed + 1, error.retryAfterMs, random) : null
  pool.failed(error, sentAt, clock.now(), waitMs)
  if (pool.givenUp !== null) throw pool.givenUp
  if (waitMs === null) throw error
  return waitMs
}
