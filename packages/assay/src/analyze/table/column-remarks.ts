/**
 * Collects unusual numbers in the columns of one file. A value that is out of range or cannot be read is ignored: it
 * counts as unknown, and the user is told how many such values there are and on which lines. A single such value is not
 * a reason to refuse the file. But if most values of a column are like that, the column has another meaning or another
 * scale. Then the file is refused, because Assay never rescales values silently.
 */
import { UsageError } from '@assay/contract'
import { count, counted } from '../../text/index.ts'
import { found } from '../problems.ts'
import type { NumberName, ResultTable } from './result-table.ts'

export interface SetAside {
  readonly column: string
  readonly count: number
  /** The lines, or the locations in a JSON document, of the first values that were ignored. */
  readonly first: readonly string[]
  /** The first value that was ignored, as it is in the file. */
  readonly example: string
}

/** A column of numbers, as far as remarks need it. */
export interface RemarkColumn {
  readonly name: NumberName
  readonly title: string
  readonly scale: number
  readonly most: number
}

interface Aside {
  readonly kind: RemarkColumn
  count: number
  readonly first: string[]
  readonly example: string
  /** The number of ignored values that are numbers above the column's range. */
  above: number
  largest: number
}

const FIRST = 5

export class ColumnRemarks {
  readonly #file: string
  readonly #from: number
  readonly #table: ResultTable
  readonly #aside = new Map<string, Aside>()
  readonly #units = new Map<string, { count: number; example: string; reads: string }>()

  constructor(file: string, table: ResultTable) {
    this.#file = file
    this.#table = table
    this.#from = table.rows
  }

  setAside(kind: RemarkColumn, place: number | string, text: string, value: number): void {
    let one = this.#aside.get(kind.title)
    if (one === undefined)
      this.#aside.set(
        kind.title,
        (one = { kind, count: 0, first: [], example: text, above: 0, largest: 0 }),
      )
    if (one.count++ < FIRST) one.first.push(String(place))
    if (!Number.isFinite(value) || value * kind.scale <= kind.most) return
    one.above++
    one.largest = Math.max(one.largest, value)
  }

  /** Records a value that was written with a unit, and the number that was read from it. */
  withUnit(title: string, text: string, reads: string): void {
    const seen = this.#units.get(title)
    if (seen === undefined) this.#units.set(title, { count: 1, example: text.trim(), reads })
    else seen.count++
  }

  /** Throws if most values of a column are out of range or cannot be read. */
  check(): void {
    for (const [title, one] of this.#aside) {
      const known = this.#known(one.kind.name)
      if (one.count <= known) continue
      throw new UsageError(
        `${this.#file}: ${title}: ${count(one.count)} of ${counted(one.count + known, 'value')} are not ${rangeOf(one.kind)}, such as ${found(one.example)} in ${placeOf(one.first[0] as string)}. ${advice(one)}`,
      )
    }
  }

  /** Returns the values that were ignored, by column. */
  asides(): SetAside[] {
    return [...this.#aside].map(([column, one]) => ({
      column,
      count: one.count,
      first: one.first,
      example: one.example.slice(0, 40),
    }))
  }

  notes(): string[] {
    const units = [...this.#units].map(
      ([title, one]) =>
        `${title}: ${counted(one.count, 'value')} with a unit, such as ${found(one.example)}, read as ${one.reads}`,
    )
    const asides = [...this.#aside].map(([title, one]) => {
      const more = one.count > one.first.length ? ', …' : ''
      const known = this.#known(one.kind.name)
      return `${title}: ${count(one.count)} of ${counted(one.count + known, 'value')} set aside as unknown, not ${rangeOf(one.kind)}: ${found(one.example)} in ${one.first.map(placeOf).join(', ')}${more}${one.kind.name === 'implRate' ? '; composites leave these rows out' : ''}`
    })
    return [...asides, ...units]
  }

  #known(name: NumberName): number {
    let known = 0
    if (!this.#table.has(name)) return 0
    for (let row = this.#from; row < this.#table.rows; row++)
      if (!Number.isNaN(this.#table.numberAt(name, row))) known++
    return known
  }
}

const placeOf = (place: string): string => (/^\d+$/.test(place) ? `line ${place}` : place)

function rangeOf({ scale, most }: RemarkColumn): string {
  return most === Infinity ? 'a number from 0 on' : `a number from 0 to ${Math.round(most / scale)}`
}

const FLAGS: Partial<Record<NumberName, string>> = {
  score: 'score',
  implRate: 'impl',
  answerUsd: 'cost',
  answerMs: 'duration',
}

/**
 * Says which flag helps. If the values are too large, it is the flag for the scale. In any case, it is also the flag
 * that names the column.
 */
function advice({ kind, above, count: bad, largest }: Aside): string {
  const flag = FLAGS[kind.name]
  if (flag === undefined) return 'Rename the column, so that it is not read as a number'
  const other = `If it is something else, name the right column with --${flag}, or none with --${flag} none`
  if (kind.most === Infinity || above * 2 < bad) return other
  const scale = largest <= 5 ? 5 : largest <= 10 ? 10 : largest <= 100 ? 100 : null
  return scale === null
    ? `--${flag}-max N says which value counts as 1. ${other}`
    : `If ${scale === 100 ? 'they are percent' : `the scale ends at ${scale}`}, say so with --${flag}-max ${scale}. ${other}`
}
