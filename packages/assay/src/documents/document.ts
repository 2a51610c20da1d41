/**
 * A parsed file that remembers where everything stood. The three syntaxes (TOML, YAML, JSON) are read into
 * the same shape: plain data, and a tree of spots with the offset of every key and value, from which a
 * problem found later in the data gets its line and column.
 */
import type { Json } from '@assay/contract'
import type { Path } from './problem.ts'

/** Where one value stands: offsets into the text. */
export interface ValueLocation {
  /** Where its key starts; null for list entries and the document itself. */
  key: number | null
  value: number
  entries?: Map<string, ValueLocation>
  items?: ValueLocation[]
}

export interface Document {
  /** As the user named it. */
  readonly file: string
  readonly value: Json
  /** The line and column of a key or value; of the nearest enclosing one where the path does not exist. */
  locate(path: Path, at: 'key' | 'value'): Position | null
}

export interface Position {
  readonly line: number
  readonly column: number
}

/** The file is not TOML, YAML or JSON at this place. Only for the readers of this room. */
export class SyntaxProblem extends Error {
  readonly offset: number
  readonly found: string
  readonly expected: string

  constructor(offset: number, found: string, expected: string) {
    super(`expected ${expected}, found ${found}`)
    this.offset = offset
    this.found = found
    this.expected = expected
  }
}

/** Line and column (both from 1, columns in UTF-16 units as editors count them) of an offset. */
export function positionAt(text: string, offset: number): Position {
  let line = 1
  let start = 0
  for (;;) {
    const end = text.indexOf('\n', start)
    if (end === -1 || end >= offset) break
    line += 1
    start = end + 1
  }
  return { line, column: Math.max(0, offset - start) + 1 }
}

/** Follows a path through a tree of spots as far as it goes. */
export function findLocation(
  root: ValueLocation,
  path: Path,
): { spot: ValueLocation; whole: boolean } {
  let spot = root
  for (const step of path) {
    const next = typeof step === 'number' ? spot.items?.[step] : spot.entries?.get(step)
    if (next === undefined) return { spot, whole: false }
    spot = next
  }
  return { spot, whole: true }
}

/** A document over a tree of spots, which is built only when something has to be located. */
export function located(
  file: string,
  text: string,
  value: Json,
  spots: () => ValueLocation,
): Document {
  let root: ValueLocation | undefined
  return {
    file,
    value,
    locate(path, at) {
      root ??= spots()
      const { spot, whole } = findLocation(root, path)
      const offset = at === 'key' || !whole ? (spot.key ?? spot.value) : spot.value
      return positionAt(text, offset)
    },
  }
}

/** Data without a text: what a module exports. */
export function unplaced(file: string, value: Json): Document {
  return { file, value, locate: () => null }
}
