/**
 * The destination for the rows of one file, and checks that all file formats share: names must be present and
 * of plausible length, rates must be between 0 and 1, and money, time and tokens must not be negative.
 */
import { NOT_A_NUMBER, VERDICTS, type Verdict } from './csv-field.ts'
import { found, type Problems } from '../problems.ts'
import type { NumberName, ResultTable } from './result-table.ts'

export interface RowTarget {
  readonly table: ResultTable
  readonly problems: Problems
  /** The id of the suite for rows that do not name one. */
  readonly suite: number
  /** Returns the id of the subject for rows that do not name one: the file's own name. */
  readonly ownSubject: () => number
}

/** Longer names are not plausible: it is probably the wrong column. */
export const LONGEST_NAME = 1000
const MOST_INDEX = 1e9
/** Tolerance for rounding errors in rates. */
const SLACK = 1e-9

export interface NumberKind {
  readonly name: NumberName
  readonly title: string
  readonly scale: number
  readonly most: number
}

/** Stores a number in its column, or reports what is wrong with it. `text` is the content of the cell. */
export function putNumber(
  { table, problems }: RowTarget,
  at: number,
  line: number | string,
  kind: NumberKind,
  value: number,
  text: () => string,
): void {
  if (Number.isNaN(value)) return
  const scaled = value * kind.scale
  if (scaled >= 0 && scaled <= kind.most && scaled !== NOT_A_NUMBER)
    table.set(kind.name, at, scaled)
  else if (scaled > kind.most && scaled <= kind.most + SLACK) table.set(kind.name, at, kind.most)
  else
    problems.add(
      line,
      `${kind.title}: expected ${expected(kind)}, found ${found(text())}${percentHint(kind, text())}`,
    )
}

/** A hint for percentages: the user must say whether 95% is a share or a value on a scale of 100. */
function percentHint({ name, most }: NumberKind, text: string): string {
  if (most === Infinity || !/^\s*[\d.,]+\s*%\s*$/.test(text)) return ''
  return name === 'score'
    ? '; write it without the % and give --score-max 100'
    : '; write it as a share, such as 0.95'
}

function expected({ name, scale, most }: NumberKind): string {
  if (most === Infinity) return 'a number from 0 on'
  const top = Math.round(most / scale)
  return `a number from 0 to ${top}${name === 'score' && top === 1 ? ' (--score-max sets what counts as 1)' : ''}`
}

/** Stores an index, or reports what is wrong with it. */
export function putIndex(
  { table, problems }: RowTarget,
  at: number,
  line: number | string,
  title: string,
  index: number,
  text: () => string,
): void {
  if (Number.isNaN(index)) return
  if (Number.isInteger(index) && index >= 0 && index <= MOST_INDEX) table.setIndex(at, index)
  else
    problems.add(
      line,
      `${title}: expected a whole number, found ${found(text())}; with --index none rows are numbered in their order`,
    )
}

/** Returns the verdict by a threshold on the score. A row without a score is unscored. */
export const thresholdVerdict = (score: number, threshold: number): Verdict =>
  Number.isNaN(score)
    ? VERDICTS.unscored
    : score >= threshold - SLACK
      ? VERDICTS.passed
      : VERDICTS.failed
