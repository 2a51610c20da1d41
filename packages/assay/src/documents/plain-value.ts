/**
 * Converts the output of a parser or module to plain JSON data and a list of faults. A suite may not contain dates,
 * NaN, sets, class instances, cycles or unpaired surrogates, because these could not be written to the log and read
 * back unchanged. If YAML aliases use the same node several times, the node counts each time. So a small file that
 * expands to an enormous value is refused before that value is built.
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

/**
 * Returns the data as JSON and the faults in it. Faulty entries are left out. `isOwn` means that the data is a tree
 * that no other code uses. Then it is corrected in place instead of copied.
 */
export function plainJson(value: unknown, isOwn = false): { value: Json; faults: Fault[] } {
  const faults: Fault[] = []
  let values = 0
  let characters = 0
  let stopped = false
  /** The path to the current value. It is copied only if a fault is found. */
  const path: (string | number)[] = []

  const fault = (found: string, expected: string, at: Path = [...path]): null => {
    if (faults.length < MOST_FAULTS) faults.push({ path: at, found, expected })
    return null
  }

  const string = (text: string): string => {
    characters += text.length
    if (!text.isWellFormed()) fault('half of a surrogate pair', 'valid Unicode text')
    return text
  }

  const walkAt = (step: string | number, here: unknown): Json => {
    path.push(step)
    const copy = walk(here)
    path.pop()
    return copy
  }

  const walk = (here: unknown): Json => {
    values += 1
    if (stopped) return null
    if (values > MOST_VALUES || characters > MOST_CHARACTERS) {
      stopped = true
      return fault('a file that unfolds to too much data', `at most ${MOST_VALUES} values`, [])
    }
    if (path.length > MOST_DEPTH) return fault('deeper nesting', `at most ${MOST_DEPTH} levels`)
    if (here === null || typeof here === 'boolean') return here
    if (typeof here === 'string') return string(here)
    if (typeof here === 'number')
      return Number.isFinite(here) ? here + 0 : fault(String(here), 'a finite number')
    if (Array.isArray(here)) {
      const copy: Json[] = isOwn ? (here as Json[]) : []
      for (let index = 0; index < here.length; index++) copy[index] = walkAt(index, here[index])
      return copy
    }
    if (isPlainObject(here)) {
      const copy: Record<string, Json> = isOwn ? (here as Record<string, Json>) : {}
      for (const key of Object.keys(here)) {
        const entry = here[key]
        if (entry === undefined) continue
        string(key)
        if (key === '__proto__') fault('the key __proto__', 'another key', [...path, key])
        else setEntry(copy, key, walkAt(key, entry))
      }
      return copy
    }
    return fault(kindOf(here), 'text, a number, true, false, a list or a table')
  }

  return { value: walk(value), faults }
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
