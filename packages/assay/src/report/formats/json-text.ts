/**
 * JSON for files that people also look at in a terminal: what JSON leaves as it is and a terminal would act
 * on is written as an escape, which is the same value for whoever parses it. A number that JSON cannot hold
 * is our bug and is thrown, not silently written as null.
 */

/** DEL, C1, the bidirectional controls and the two line separators. */
const UNESCAPED =
  // oxlint-disable-next-line no-control-regex
  /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const finite = (key: string, value: unknown): unknown => {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError(`"${key}" is ${value}, which JSON has no way to write`)
  return value
}

/** One value, indented by two; `depth` is how deep its first line already stands. */
export function jsonText(value: unknown, depth: number = 0): string {
  const text = JSON.stringify(value, finite, 2).replaceAll(
    UNESCAPED,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  // No string of JSON holds a line break, so every one of them is layout.
  return depth === 0 ? text : text.replaceAll('\n', `\n${'  '.repeat(depth)}`)
}

/** The elements of a list one at a time, so that a long one never stands in memory as one text. */
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
