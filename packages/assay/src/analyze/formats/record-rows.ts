/**
 * Adds rows from JSON objects of any format. Valid values go into the table. Invalid values are reported with their
 * location. Only an object's own keys are read, so that inherited properties such as `__proto__` are never read as
 * values.
 */
import { numberOf, NOT_A_NUMBER, verdictOf, VERDICTS, type Verdict } from '../table/csv-field.ts'
import type { Dictionary } from '../table/dictionary.ts'
import { found } from '../problems.ts'
import type { NumberName } from '../table/result-table.ts'
import {
  indexIn,
  LONGEST_NAME,
  putNumber,
  VERDICT_ADVICE,
  type NumberKind,
  type RowTarget,
} from '../table/row-target.ts'

export type JsonRecord = Readonly<Record<string, unknown>>
export type Place = number | string

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value at a path of keys, or undefined if there is none. */
export function valueAt(record: unknown, path: readonly string[]): unknown {
  let value = record
  for (const key of path) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

/** Returns a text, number or boolean as text, and an empty text for anything else. */
export const scalarText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''

export const shown = (value: unknown): string =>
  typeof value === 'string' ? found(value) : found(jsonOf(value) ?? 'nothing')

/** Returns the value as JSON text for a message. Undefined if there is no value. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return 'a value that is nested too deeply'
  }
}

const RATES: ReadonlySet<NumberName> = new Set(['score', 'implRate', 'compiled', 'tests', 'lint'])

export class RecordRows {
  readonly target: RowTarget

  constructor(target: RowTarget) {
    this.target = target
  }

  bad(place: Place, title: string, expected: string, value: unknown, advice?: string): null {
    this.target.problems.add(place, `${title}: expected ${expected}, found ${shown(value)}`, advice)
    return null
  }

  /** Returns the id of a name. If the value is not a valid name, reports the problem and returns null. */
  name(
    place: Place,
    title: string,
    value: unknown,
    dictionary: Dictionary,
    advice?: string,
  ): number | null {
    const text = typeof value === 'number' ? String(value) : value
    if (typeof text !== 'string' || text.trim() === '' || text.length > LONGEST_NAME)
      return this.bad(place, title, 'a name', value, advice)
    return dictionary.idOf(text.trim())
  }

  /** Returns the id of a subject from the values that form its name. Null if one of them is invalid. */
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

  /** Stores a number from a known format, whose unit is already the unit of the table. Rates must be from 0 to 1. */
  known(at: number, place: Place, name: NumberName, title: string, value: unknown): void {
    const most = RATES.has(name) ? 1 : Infinity
    this.number(at, place, { name, title, scale: 1, most }, value)
  }

  /** Stores the trial index of a row from a known format. */
  index(at: number, place: Place, title: string, value: unknown): void {
    if (value === undefined || value === null) return
    const index = numberIn(value)
    if (Number.isNaN(index)) return
    if (Number.isInteger(index) && index >= 0) this.target.table.setIndex(at, index)
    else
      this.target.problems.addFinal(
        place,
        `${title}: expected a whole number, found ${found(shownText(value))}`,
      )
  }

  /** Returns the trial index. NaN if there is none. If it is invalid, reports the problem and returns null. */
  indexIn(place: Place, title: string, value: unknown): number | null {
    if (value === undefined || value === null) return Number.NaN
    return indexIn(this.target, place, title, numberIn(value), () => shownText(value))
  }

  verdict(place: Place, title: string, value: unknown): Verdict | null {
    if (value === undefined || value === null) return VERDICTS.unscored
    const verdict =
      typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string'
        ? verdictOf(String(value))
        : null
    return verdict ?? this.bad(place, title, 'true or false, 1 or 0', value, VERDICT_ADVICE)
  }
}

const shownText = (value: unknown): string =>
  typeof value === 'string' ? value : (jsonOf(value) ?? '')

function numberIn(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? numberOf(value) : NOT_A_NUMBER
}
