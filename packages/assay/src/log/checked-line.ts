/**
 * The lines of `pending.jsonl` (answers that are not graded yet) and of `labels.jsonl` (people's reviews). Each line
 * has a checksum.
 */
import { canonicalText, crcOf } from './checksum.ts'
import type { LineFault } from './read-lines.ts'
import type { LogVersion } from './trial-lines.ts'

/** Formats a value as a line. The line gets a checksum, except in version 1 of the log, which has none. */
export function checkedLine(value: unknown, version: LogVersion): string {
  if (version === 1) return JSON.stringify(value)
  const text = canonicalText(value)
  return `{"crc":"${crcOf(text)}",${text.slice(1)}`
}

/** Calls `each` with the line's value if its checksum is right. Otherwise returns what is wrong with the line. */
export function takeCheckedLine(
  line: Buffer,
  version: LogVersion,
  each: (value: unknown) => void,
): LineFault | null {
  let value: unknown
  try {
    value = JSON.parse(line.toString('utf8'))
  } catch {
    return { parses: false, trial: null }
  }
  if (version === 1) {
    each(value)
    return null
  }
  const { crc, ...rest } = ((typeof value === 'object' ? value : null) ?? {}) as { crc?: unknown }
  if (crc !== safeCrc(rest)) return { parses: true, trial: null }
  each(rest)
  return null
}

/**
 * Returns the value's checksum. Returns null if the value is nested so deeply that computing the checksum overflows the
 * stack. Assay writes no such value, so the line is damaged.
 */
function safeCrc(value: unknown): string | null {
  try {
    return crcOf(canonicalText(value))
  } catch {
    return null
  }
}
