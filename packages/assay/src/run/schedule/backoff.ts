/**
 * Computes how long to wait before a retry. It uses full jitter: the wait is a random time up to a limit that grows
 * exponentially. So requests that were refused together are not retried together. The wait is never shorter than
 * the provider asked for.
 */

export interface RetryPolicy {
  /** The maximum number of requests for one answer, including the first. */
  readonly attempts: number
  readonly firstMs: number
  readonly mostMs: number
}

export const RETRY_POLICY: RetryPolicy = { attempts: 6, firstMs: 1000, mostMs: 60_000 }

/** The wait after failure number `failed`, counted from 1. */
export function backoffMs(
  { firstMs, mostMs }: RetryPolicy,
  failed: number,
  retryAfterMs: number | null,
  random: () => number,
): number {
  const bound = Math.min(mostMs, firstMs * 2 ** (failed - 1))
  const jitter = random() * bound
  // Adds jitter here too, because many requests may have been told to wait until the same moment.
  return retryAfterMs === null ? jitter : retryAfterMs + jitter / 4
}
