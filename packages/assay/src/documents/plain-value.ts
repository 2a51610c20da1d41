/**
 * Turns the output of a parser or module into plain JSON data or problems. Dates, NaN, sets, class instances, cycles
 * and unpaired surrogates are not allowed in a suite: they could not be written to the log and read back unchanged.
 * Shared YAML nodes count each time they occur, so a file that expands to something enormous is refused before
 * anything is built from it.
 */
import type { Json } from '@assay/contract'
import { MOST_DEPTH, setEntry } from './json-text.ts'
import type { Path } from './problem.ts'

const MOST_VALUES = 2_000_000
const MOST_CHARACTERS = 256 * 1024 * 1024
const MOST_FAULTS = 50

export interface Fault {
  readonly path: Path
  readonly found: string
  readonly expected: string
}

/** Returns the data as JSON and the faults in it. Faulty entries are left out. */
export function plainJson(value: unknown): { value: Json; faults: Fault[] } {
  const faults: Fault[] = []
  let values = 0
  let characters = 0
  let stopped = false

  const fault = (path: Path, found: string, expected: string): null => {
    if (faults.length < MOST_FAULTS) faults.push({ path, found, expected })
    return null
  }

  const string = (text: string, path: Path): string => {
    characters += text.length
    if (!text.isWellFormed()) fault(path, 'half of a surrogate pair', 'valid Unicode text')
    return text
  }

  const walk = (here: unknown, path: Path): Json => {
    values += 1
    if (stopped) return null
    if (values > MOST_VALUES || characters > MOST_CHARACTERS) {
      stopped = true
      return fault([], 'a file that unfolds to too much data', `at most ${MOST_VALUES} values`)
    }
    if (path.length > MOST_DEPTH)
      return fault(path, 'deeper nesting', `at most ${MOST_DEPTH} levels`)
    if (here === null || typeof here === 'boolean') return here
    if (typeof here === 'string') return string(here, path)
    if (typeof here === 'number')
      return Number.isFinite(here) ? here + 0 : fault(path, String(here), 'a finite number')
    if (Array.isArray(here))
      return Array.from(here, (item: unknown, index) => walk(item, [...path, index]))
    if (isPlainObject(here)) {
      const copy: Record<string, Json> = {}
      for (const [key, entry] of Object.entries(here)) {
        if (entry === undefined) continue
        string(key, path)
        if (key === '__proto__') fault([...path, key], 'the key __proto__', 'another key')
        else setEntry(copy, key, walk(entry, [...path, key]))
      }
      return copy
    }
    return fault(path, kindOf(here), 'text, a number, true, false, a list or a table')
  }

  return { value: walk(value, []), faults }
}

/** Whether the value is an object: not a list and not null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function kindOf(value: unknown): string {
  if (value instanceof Date) return 'a date (put it in quotes)'
  if (typeof value === 'bigint') return 'a number too large to be exact'
  if (typeof value === 'object' && value !== null) {
    const name: unknown = value.constructor?.name
    return typeof name === 'string' && name !== '' ? `a ${name}` : 'an object'
  }
  return value === undefined ? 'nothing' : `a ${typeof value}`
}
