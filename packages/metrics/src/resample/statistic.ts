/**
 * A statistic that the bootstrap evaluates on each resample. The statistic gets the distinct rows
 * and how often each row was drawn, and returns one or several numbers. All of these numbers come
 * from the same resamples, so metrics and subjects can be compared within a resample.
 */
import type { DistinctRows } from './distinct-rows.ts'

export interface Statistic {
  /**
   * Returns the numbers for these weights. A number that is undefined, such as the ratio 0/0, is
   * null. Infinity is allowed.
   */
  (weights: Float64Array, rows: DistinctRows): readonly (number | null)[]
  /**
   * Returns, for each distinct row, the numbers with one case of this row left out. A statistic
   * defines this function if it has a faster way than evaluating all rows again.
   */
  readonly leaveOneOut?: (rows: DistinctRows) => readonly (readonly (number | null)[])[]
}

/** Returns the weighted sum Σ weight · value of each column. */
function weightedSums(weights: Float64Array, columns: readonly Float64Array[]): readonly number[] {
  const sums: number[] = []
  for (const column of columns) {
    let sum = 0
    for (let i = 0; i < weights.length; i++) sum += (weights[i] as number) * (column[i] as number)
    sums.push(sum)
  }
  return sums
}

/**
 * Returns a statistic that depends only on the sums of the columns and on the number of cases:
 * means, ratios of totals, and smooth functions of them. Leaving a case out then needs only one
 * subtraction per column.
 *
 * @example ofSums((sum) => [sum(0) / sum(1)]) // a ratio of totals
 */
export function ofSums(
  answers: (sum: (column: number) => number, cases: number) => readonly (number | null)[],
): Statistic {
  const from = (sums: readonly number[], cases: number) =>
    answers((column) => {
      const sum = sums[column]
      if (sum === undefined) throw new RangeError(`the rows have no column ${column}`)
      return sum
    }, cases)
  const statistic = (weights: Float64Array, { columns, cases }: DistinctRows) =>
    from(weightedSums(weights, columns), cases)
  const bySubtraction = ({ columns, multiplicity, cases }: DistinctRows) => {
    const sums = weightedSums(multiplicity, columns)
    return Array.from(multiplicity, (_, i) =>
      from(
        columns.map((column, j) => (sums[j] as number) - (column[i] as number)),
        cases - 1,
      ),
    )
  }
  return Object.assign(statistic, { leaveOneOut: bySubtraction })
}

/**
 * Returns, for each distinct row, the numbers with one case of this row left out. If the statistic
 * has no `leaveOneOut`, it is evaluated again for each row.
 */
export function leaveOneOut(
  rows: DistinctRows,
  statistic: Statistic,
): readonly (readonly (number | null)[])[] {
  if (statistic.leaveOneOut !== undefined) return statistic.leaveOneOut(rows)
  const weights = rows.multiplicity.slice()
  const fewer = { ...rows, cases: rows.cases - 1 }
  return Array.from(rows.multiplicity, (count, i) => {
    weights[i] = count - 1
    const answers = statistic(weights, fewer)
    weights[i] = count
    return answers
  })
}
