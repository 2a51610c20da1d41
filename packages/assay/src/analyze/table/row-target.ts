/**
 * The table that receives the rows of one file, and the checks that all file formats share. Names must be present and
 * have a plausible length. Rates must be between 0 and 1. Money, time and tokens must not be negative. Other values are
 * ignored and reported.
 */
import type { ColumnRemarks } from './column-remarks.ts'
import { NOT_A_NUMBER, VERDICTS, type Verdict } from './csv-field.ts'
import { quantityOf, unitKind, type UnitKind } from './quantity.ts'
import { found, type Problems } from '../problems.ts'
import type { NumberName, ResultTable } from './result-table.ts'

export interface RowTarget {
  readonly table: ResultTable
  readonly problems: Problems
  readonly remarks: ColumnRemarks
  /** Whether numbers in the file may have a decimal comma. */
  readonly decimalComma?: boolean
  /** The id of the suite for rows that do not name one. */
  readonly suite: number
  /** Returns the id of the subject for rows that do not name one. That subject has the name of the file. */
  readonly ownSubject: () => number
}

/** The advice that is shown if a verdict cannot be read. */
export const VERDICT_ADVICE =
  '--passed names another column, --score and --threshold make verdicts from scores'

/** The maximum length of a name. If a text is longer, the user probably chose the wrong column. */
export const LONGEST_NAME = 1000
const MOST_INDEX = 1e9
/** The amount by which a rate may be above 1, because of rounding errors. */
const SLACK = 1e-9

export interface NumberKind {
  readonly name: NumberName
  readonly title: string
  readonly scale: number
  readonly most: number
}

/**
 * Stores a number in its column. A value that is out of range or is not a number is ignored and reported. `text` is the
 * content of the cell.
 */
export function putNumber(
  { table, remarks, decimalComma = false }: RowTarget,
  at: number,
  line: number | string,
  kind: NumberKind,
  value: number,
  text: () => string,
): void {
  if (Number.isNaN(value)) return
  // For a scale below 1, the code divides instead of multiplying. Dividing by 10 rounds once. Multiplying by 0.1 rounds
  // twice, and 8.5 would become 0.8500000000000001.
  let scaled = kind.scale < 1 ? value / (1 / kind.scale) : value * kind.scale
  if (value === NOT_A_NUMBER) {
    const unit = unitKind(kind.name)
    scaled = quantityOf(text(), unit, decimalComma)
    if (scaled !== NOT_A_NUMBER) remarks.withUnit(kind.title, text(), shownQuantity(scaled, unit))
  }
  if (scaled >= 0 && scaled <= kind.most && scaled !== NOT_A_NUMBER)
    table.set(kind.name, at, scaled)
  else if (scaled > kind.most && scaled <= kind.most + SLACK) table.set(kind.name, at, kind.most)
  else {
    remarks.setAside(kind, line, text(), value)
    if (kind.name === 'implRate') table.implAside.add(at)
  }
}

function shownQuantity(value: number, unit: UnitKind): string {
  const shown = String(Number(value.toPrecision(12)))
  if (unit === 'time') return `${Number((value / 1000).toPrecision(12))} s`
  return unit === 'usd' ? `${shown} dollars` : shown
}

/** Returns the trial index of a row. NaN if it has none. If it is invalid, reports the problem and returns null. */
export function indexIn(
  { problems }: RowTarget,
  line: number | string,
  title: string,
  index: number,
  text: () => string,
): number | null {
  if (Number.isNaN(index)) return index
  if (Number.isInteger(index) && index >= 0 && index <= MOST_INDEX) return index
  problems.add(
    line,
    `${title}: expected a whole number, found ${found(text())}`,
    '--index none numbers rows in their order',
  )
  return null
}

/** Returns `passed` if the score reaches the threshold, and otherwise `failed`. A row without a score is unscored. */
export const thresholdVerdict = (score: number, threshold: number): Verdict =>
  Number.isNaN(score)
    ? VERDICTS.unscored
    : score >= threshold - SLACK
      ? VERDICTS.passed
      : VERDICTS.failed
