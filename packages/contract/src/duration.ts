/**
 * Durations as people write them: a number of seconds, or a text such as 500ms, 90s, 10m, 1h30m or 1.5s. In a text,
 * larger units come first, and each unit occurs at most once. Options store the text as the suite wrote it, because
 * the text is part of the case's hash.
 */

const N = String.raw`\s*(\d{1,9}(?:\.\d{1,9})?)\s*`

/**
 * The form of a duration as text. It is a regular expression because JSON Schema can check a text only with one.
 * Groups: hours, minutes, seconds, milliseconds.
 */
export const DURATION = new RegExp(
  String.raw`^(?=\d)(?:${N}h)?(?:${N}m(?!s))?(?:${N}s)?(?:${N}ms)?$`,
)

const UNIT_MS = [3_600_000, 60_000, 1000, 1]

/**
 * The longest time that can be set for one answer: a week. It must be less than 24.8 days, the longest timer of Node.
 */
export const MOST_SECONDS = 7 * 24 * 3600

/**
 * The longest time limit that can be set for one grader: a day. For code, this limits processor time, and the limit
 * on wall time is several times longer.
 */
export const MOST_GRADER_SECONDS = 24 * 3600

/** The allowed forms, as error messages describe them. */
const FORMS = 'a duration such as 30 (seconds), "500ms", "90s", "10m" or "1h30m"'
export const A_DURATION = `${FORMS}, up to ${MOST_SECONDS / 86_400} days`
export const A_GRADER_DURATION = `${FORMS}, up to ${MOST_GRADER_SECONDS / 3600} hours`

/** Returns milliseconds, possibly with fractions; null if this is not a duration. */
export function durationMs(value: string | number): number | null {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value * 1000 : null
  const [, ...parts] = DURATION.exec(value) ?? []
  if (parts.length === 0) return null
  return parts.reduce((sum, part, i) => sum + Number(part ?? 0) * (UNIT_MS[i] as number), 0)
}

/**
 * Returns whole milliseconds; null if this is not a duration between 1 ms and a week.
 *
 * @example parseDuration('1h30m') // 5400000
 */
export function parseDuration(value: string | number): number | null {
  const whole = Math.round(durationMs(value) ?? 0)
  return whole >= 1 && whole <= MOST_SECONDS * 1000 ? whole : null
}

/** Returns the milliseconds of a grader's option; null if this is not a duration between 1 ms and a day. */
export function parseGraderDuration(value: string | number): number | null {
  const ms = durationMs(value) ?? 0
  return ms >= 1 && ms <= MOST_GRADER_SECONDS * 1000 ? ms : null
}
