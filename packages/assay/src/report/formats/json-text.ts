/**
 * Writes JSON for files that people may also print in a terminal. JSON allows some characters that a terminal would
 * interpret. They are written as escapes, and parsers still read the same value. A number that JSON cannot represent
 * (NaN or Infinity) is a bug in Assay. So it causes an error, instead of being written as null.
 */

/** Characters to escape: DEL, C1 controls, bidirectional controls and the two line separators. */
const UNESCAPED =
  // oxlint-disable-next-line no-control-regex
  /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const finite = (key: string, value: unknown): unknown => {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError(`"${key}" is ${value}, which JSON has no way to write`)
  return value
}

/** Returns a value as JSON, indented by two spaces. `depth` is the nesting level at which it is inserted. */
export function jsonText(value: unknown, depth: number = 0): string {
  const text = JSON.stringify(value, finite, 2).replaceAll(
    UNESCAPED,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  // JSON strings contain no raw line breaks. So every line break is followed by indentation, which can be extended.
  return depth === 0 ? text : text.replaceAll('\n', `\n${'  '.repeat(depth)}`)
}

/** Writes the elements of a list one at a time, so that a long list is never in memory as one text. */
export function putList<T>(
  put: (text: string) => void,
  list: readonly T[],
  depth: number,
  shaped: (value: T) => unknown = (value) => value,
): void {
  if (list.length === 0) {
    put('[]')
    return
  }
  const inner = `\n${'  '.repeat(depth + 1)}`
  for (const [i, value] of list.entries())
    put(`${i === 0 ? '[' : ','}${inner}${jsonText(shaped(value), depth + 1)}`)
  put(`\n${'  '.repeat(depth)}]`)
}
