/**
 * Where the rows of one file go, and what every kind of file checks alike: names must be there and be of a
 * length that names have, rates lie between 0 and 1, money, time and tokens are not negative.
 */
import { NOT_A_NUMBER, VERDICTS, type Verdict } from './csv-field.ts'
import { found, type Problems } from '../problems.ts'
import type { NumberName, ResultTable } from './result-table.ts'

export interface RowTarget {
  readonly table: ResultTable
  readonly problems: Problems
  /** The number of the suite of rows that name none. */
  readonly suite: number
  /** The number of the subject of rows that name none: the file's own name. */
  readonly ownSubject: () => number
}

/** Nobody names a case with more; it will be the wrong column. */
export const LONGEST_NAME = 1000
const MOST_INDEX = 1e9
/** What arithmetic may add to a rate. */
const SLACK = 1e-9

export interface NumberKind {
  readonly name: NumberName
  readonly title: string
  readonly scale: number
  readonly most: number
}

/** Puts a number into its column, or says what is wrong with it; `text` is what stands in the cell. */
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

/** Whether 95% is a share or one of a scale of 100 is for the user to say. */
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

/** Whether an index is one; says what is wrong otherwise. */
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

/** The verdict by a threshold on the score; a row without a score was not judged. */
export const thresholdVerdict = (score: number, threshold: number): Verdict =>
  Number.isNaN(score)
    ? VERDICTS.unscored
    : score >= threshold - SLACK
      ? VERDICTS.passed
      : VERDICTS.failed
