/** Durations as people write them: `30s`, `2m`, `500ms`, or a number of seconds. */
import { UsageError } from '../errors.ts'

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

export function durationMs(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim())
  const ms = match === null ? Number.NaN : Number(match[1]) * (UNIT_MS[match[2] ?? 's'] as number)
  if (!(ms > 0 && ms <= 7 * 24 * 3_600_000))
    throw new UsageError(`${flag} takes a duration such as 30s, 2m or 500ms, got "${text}"`)
  return ms
}
