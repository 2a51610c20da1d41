/** Durations as people write them: a number of seconds, or text with a unit. */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

export const DURATION = /^\d{1,9}(?:\.\d{1,6})?\s?(?:ms|s|m|h)$/

/** Timers beyond this wrap round to nothing; no answer is waited for that long. */
export const MOST_SECONDS = 7 * 24 * 3600

/**
 * Milliseconds, or null where it is not a duration between 1 ms and a week.
 *
 * @example parseDuration('2m') // 120000
 */
export function parseDuration(value: string | number): number | null {
  const ms = typeof value === 'number' ? value * 1000 : parseText(value)
  if (ms === null || !Number.isFinite(ms)) return null
  const whole = Math.round(ms)
  return whole >= 1 && whole <= MOST_SECONDS * 1000 ? whole : null
}

function parseText(text: string): number | null {
  if (!DURATION.test(text)) return null
  const unit = /[a-z]+$/.exec(text)?.[0] ?? ''
  const factor = UNITS[unit]
  return factor === undefined ? null : Number.parseFloat(text) * factor
}
