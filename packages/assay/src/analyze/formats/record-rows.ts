/**
 * Adds rows from JSON objects, whichever program wrote them. Valid values go into the table; invalid ones are
 * reported with their position. Only an object's own keys are read, so that `__proto__` is never a value.
 */
import { numberOf, NOT_A_NUMBER, verdictOf, VERDICTS, type Verdict } from '../table/csv-field.ts'
import type { Dictionary } from '../table/dictionary.ts'
import { found } from '../problems.ts'
import type { NumberName } from '../table/result-table.ts'
import {
  LONGEST_NAME,
  putIndex,
  putNumber,
  type NumberKind,
  type RowTarget,
} from '../table/row-target.ts'

export type JsonRecord = Readonly<Record<string, unknown>>
export type Place = number | string

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value at a path of keys; undefined if there is none. */
export function valueAt(record: unknown, path: readonly string[]): unknown {
  let value = record
  for (const key of path) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

export const shown = (value: unknown): string =>
  typeof value === 'string' ? found(value) : found(JSON.stringify(value) ?? 'nothing')

const RATES: ReadonlySet<NumberName> = new Set(['score', 'implRate', 'compiled', 'tests', 'lint'])

export class RecordRows {
  readonly target: RowTarget

  constructor(target: RowTarget) {
    this.target = target
  }

  bad(place: Place, title: string, expected: string, value: unknown): null {
    this.target.problems.add(place, `${title}: expected ${expected}, found ${shown(value)}`)
    return null
  }

  /** Returns the id of a name; null if the value is not a valid name, which is reported. */
  name(place: Place, title: string, value: unknown, dictionary: Dictionary): number | null {
    const text = typeof value === 'number' ? String(value) : value
    if (typeof text !== 'string' || text.trim() === '' || text.length > LONGEST_NAME)
      return this.bad(place, title, 'a name', value)
    return dictionary.idOf(text.trim())
  }

  /** Returns the id of a subject, from the values that form its name; null if one of them is invalid. */
  subject(
    place: Place,
    parts: readonly (readonly [title: string, value: unknown])[],
  ): number | null {
    const { table } = this.target
    if (parts.length === 0) return this.target.ownSubject()
    const ids: number[] = []
    for (const [title, value] of parts) {
      const id = this.name(place, title, value, table.parts)
      if (id === null) return null
      ids.push(id)
    }
    return table.subjectOf(ids)
  }

  number(at: number, place: Place, kind: NumberKind, value: unknown): void {
    if (value === undefined || value === null) return
    const number = numberIn(value)
    putNumber(this.target, at, place, kind, number, () => shownText(value))
  }

  /** Stores a number of a known format, which is already in our unit. Rates must be from 0 to 1. */
  known(at: number, place: Place, name: NumberName, title: string, value: unknown): void {
    const most = RATES.has(name) ? 1 : Infinity
    this.number(at, place, { name, title, scale: 1, most }, value)
  }

  index(at: number, place: Place, title: string, value: unknown): void {
    if (value === undefined || value === null) return
    putIndex(this.target, at, place, title, numberIn(value), () => shownText(value))
  }

  verdict(place: Place, title: string, value: unknown): Verdict | null {
    if (value === undefined || value === null) return VERDICTS.unscored
    const verdict =
      typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string'
        ? verdictOf(String(value))
        : null
    return verdict ?? this.bad(place, title, 'true or false, 1 or 0', value)
  }
}

const shownText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

function numberIn(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? numberOf(value) : NOT_A_NUMBER
}
