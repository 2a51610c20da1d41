/** The clock that a run uses. Tests replace it, so that they need not wait for back-off and rate limits. */
import { setTimeout as wait } from 'node:timers/promises'

export interface Clock {
  /** Milliseconds since 1970, with fractions. The value never decreases. */
  now(): number
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, { signal })
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    }
  },
}

let lastMs = Number.NaN
let lastTime = ''

/**
 * Formats a time as ISO text with milliseconds. The last result is reused, because many trials start in the same
 * millisecond.
 */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastTime = new Date(ms).toISOString()
    lastMs = ms
  }
  return lastTime
}
