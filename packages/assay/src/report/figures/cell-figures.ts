/**
 * Counts and sums over the scored trials of a cell, which is one subject on one case. All figures of subjects and
 * suites are computed from these. The sums are exact until they are rounded at the end, so the order of lines in the
 * log does not change them.
 */
import { Sum, totalUsd } from '@assay/metrics'
import type { Cell, Column, Tally } from '../../log/index.ts'

export interface CellFigures {
  readonly cell: Cell
  /** `n` is the number of scored trials. `c` is how many of them passed. */
  readonly n: number
  readonly c: number
  readonly errored: number
  readonly unscored: number
  /** Sums over those scored trials that have a score. */
  readonly score: ColumnSums
  readonly cost: ColumnSums
  readonly answerMs: ColumnSums
}

/** Sums of one column over those scored trials whose value is known. */
export interface ColumnSums {
  readonly n: number
  readonly sum: number
  readonly sumSq: number
}

export function cellFigures(tally: Tally, cell: Cell): CellFigures {
  const { passed, failed, errored, unscored } = tally.counts(cell.first, cell.trials)
  const cost = columnSums(tally, cell, tally.answerUsd)
  const usd: number[] = []
  eachScored(tally, cell, (i) => {
    const one = tally.answerUsd.at(i)
    if (!Number.isNaN(one)) usd.push(one)
  })
  return {
    cell,
    n: passed + failed,
    c: passed,
    errored,
    unscored,
    score: columnSums(tally, cell, tally.score),
    cost: { ...cost, sum: totalUsd(usd) },
    answerMs: columnSums(tally, cell, tally.answerMs),
  }
}

export function eachScored(tally: Tally, cell: Cell, each: (ordinal: number) => void): void {
  for (let i = cell.first; i < cell.first + cell.trials; i++) if (tally.isScored(i)) each(i)
}

export function columnSums(tally: Tally, cell: Cell, column: Column): ColumnSums {
  if (cell.trials === 1) return singleSums(tally, cell, column)
  const sum = new Sum()
  const sumSq = new Sum()
  let n = 0
  eachScored(tally, cell, (i) => {
    const value = column.at(i)
    if (Number.isNaN(value)) return
    n++
    sum.add(value)
    sumSq.add(value * value)
  })
  return { n, sum: sum.value, sumSq: sumSq.value }
}

/**
 * Returns the sums of a cell (one subject on one case) that has one trial. A large suite is often run only once per
 * case, and one value needs no exact addition, which is slower.
 */
function singleSums(tally: Tally, { first }: Cell, column: Column): ColumnSums {
  const value = tally.isScored(first) ? column.at(first) : Number.NaN
  return Number.isNaN(value)
    ? { n: 0, sum: 0, sumSq: 0 }
    : { n: 1, sum: value, sumSq: value * value }
}

/** Returns the known values of a column over the scored trials of `cells`, and how many values are unknown. */
export function scoredValues(
  tally: Tally,
  cells: readonly Cell[],
  column: Column,
): { readonly values: Float64Array; readonly unknown: number } {
  const all = new Float64Array(cells.reduce((sum, { trials }) => sum + trials, 0))
  let known = 0
  let unknown = 0
  for (const cell of cells)
    eachScored(tally, cell, (i) => {
      const value = column.at(i)
      if (Number.isNaN(value)) unknown++
      else all[known++] = value
    })
  return { values: all.subarray(0, known), unknown }
}

export interface ScoredSum {
  readonly sum: Sum
  readonly known: number
  readonly unknown: number
}

/** Returns the sum of the values that `scoredValues` returns, without making a list of them. */
export function scoredSum(tally: Tally, cells: readonly Cell[], column: Column): ScoredSum {
  const sum = new Sum()
  let known = 0
  let unknown = 0
  for (const cell of cells)
    eachScored(tally, cell, (i) => {
      const value = column.at(i)
      if (Number.isNaN(value)) unknown++
      else {
        known++
        sum.add(value)
      }
    })
  return { sum, known, unknown }
}
