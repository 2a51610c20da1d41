/**
 * A parsed file that knows the location of every key and value. All three syntaxes (TOML, YAML, JSON) are read into the
 * same two structures: plain data, and a tree with the offset of every key and value. If a problem is found in the data
 * later, the tree gives its line and column.
 */
import type { Json } from '@assay/contract'
import type { Path } from './problem.ts'

/** The location of one value, as offsets into the text. */
export interface ValueLocation {
  /** The offset at which the key starts. Null for list entries and for the document itself. */
  key: number | null
  value: number
  entries?: Map<string, ValueLocation>
  items?: ValueLocation[]
}

export interface Document {
  /** The path of the file as the user typed it. */
  readonly file: string
  readonly value: Json
  /**
   * Returns the line and column of a key or value. If nothing exists at the path, returns the location of the nearest
   * enclosing value.
   */
  locate(path: Path, at: 'key' | 'value'): Position | null
}

export interface Position {
  readonly line: number
  readonly column: number
}

/** A syntax error in TOML, YAML or JSON, with its offset. Only the parsers in this folder use it. */
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

/** Returns the line and column of an offset. Both start at 1. Columns are counted in UTF-16 units, as in editors. */
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

/** Follows a path through the tree of locations as far as possible. `whole` is true if the complete path exists. */
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

/** Returns a document. Its tree of locations is built only when the location of a key or value is needed. */
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

/** Returns a document for a value that a module exports. Such a document has no text, so it has no locations. */
export function unplaced(file: string, value: Json): Document {
  return { file, value, locate: () => null }
}
