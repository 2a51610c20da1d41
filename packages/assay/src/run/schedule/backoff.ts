/**
 * How long to wait before asking again: full jitter (a uniform draw up to an exponentially growing
 * bound), so that requests refused together do not come back together; never less than the provider asked for.
 */

export interface RetryPolicy {
  /** Requests for one answer, the first included. */
  readonly attempts: number
  readonly firstMs: number
  readonly mostMs: number
}

export const RETRY_POLICY: RetryPolicy = { attempts: 6, firstMs: 1000, mostMs: 60_000 }

/** The wait after the `failed`-th failure (from 1). */
export function backoffMs(
  { firstMs, mostMs }: RetryPolicy,
  failed: number,
  retryAfterMs: number | null,
  random: () => number,
): number {
  const bound = Math.min(mostMs, firstMs * 2 ** (failed - 1))
  const jitter = random() * bound
  // Spread those who were all told the same moment, too.
  return retryAfterMs === null ? jitter : retryAfterMs + jitter / 4
}
