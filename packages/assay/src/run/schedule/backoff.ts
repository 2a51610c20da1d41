/**
 * Computes how long to wait before a retry. The wait is a random time below a limit that grows exponentially (full
 * jitter). So requests that were refused together are not sent again together. The wait is never shorter than the
 * provider asked for.
 */

export interface RetryPolicy {
  /** The maximum number of requests for one answer, including the first. */
  readonly attempts: number
  readonly firstMs: number
  readonly mostMs: number
}

export const RETRY_POLICY: RetryPolicy = { attempts: 6, firstMs: 1000, mostMs: 60_000 }

/** Returns the wait after the failure with the number `failed`, counted from 1. */
export function backoffMs(
  { firstMs, mostMs }: RetryPolicy,
  failed: number,
  retryAfterMs: number | null,
  random: () => number,
): number {
  const bound = Math.min(mostMs, firstMs * 2 ** (failed - 1))
  const jitter = random() * bound
  // A random time is added here too, because the provider may have told many requests to wait until the same moment.
  return retryAfterMs === null ? jitter : retryAfterMs + jitter / 4
}
