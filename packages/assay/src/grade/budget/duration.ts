/** Durations in graders' options: seconds, or text with a unit, as everywhere in a suite. */
import { z } from 'zod'

const A_TIME = 'a duration such as 2 (seconds), "500ms", "10s" or "2m"'
const MOST_SECONDS = 24 * 3600

/** A day at most: whatever a grader waits for has ended by then. */
export const timeSchema = z.union(
  [
    z.number().min(0.001).max(MOST_SECONDS),
    z
      .string()
      .regex(/^\d{1,6}(?:\.\d{1,6})?\s?(?:ms|s|m|h)$/, { error: A_TIME, abort: true })
      .refine(
        (time) => milliseconds(time) >= 1 && milliseconds(time) <= MOST_SECONDS * 1000,
        'a duration from 1ms to 24h',
      ),
  ],
  A_TIME,
)

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

export function milliseconds(time: string | number): number {
  if (typeof time === 'number') return time * 1000
  const unit = /[a-z]+$/.exec(time)?.[0] ?? ''
  return Number.parseFloat(time) * (UNITS[unit] ?? Number.NaN)
}
