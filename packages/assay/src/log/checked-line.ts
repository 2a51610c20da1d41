/** Lines of a run folder with one checksum each: answers that wait for their grade. */
import { canonicalText, crcOf } from './checksum.ts'
import type { LineFault } from './read-lines.ts'
import type { LogVersion } from './trial-lines.ts'

/** A value as its line. Version 1 has no checksums. */
export function checkedLine(value: unknown, version: LogVersion): string {
  if (version === 1) return JSON.stringify(value)
  const text = canonicalText(value)
  return `{"crc":"${crcOf(text)}",${text.slice(1)}`
}

/** Gives a line's value to `each` if it is as it was written; else says what is wrong with the line. */
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

/** Null where a value is nested too deeply for any program of ours. */
function safeCrc(value: unknown): string | null {
  try {
    return crcOf(canonicalText(value))
  } catch {
    return null
  }
}
