/**
 * What a bootstrap resamples. A statistic sees the distinct rows and how often each was drawn, and
 * answers one or several numbers at once: all of them then come from the same resamples, which is
 * what pairs metrics and subjects with one another.
 */
import type { DistinctRows } from './distinct-rows.ts'

export interface Statistic {
  /**
   * The answers for these weights; null where there is none (a ratio 0/0). Infinity is an answer.
   */
  (weights: Float64Array, rows: DistinctRows): readonly (number | null)[]
  /**
   * The answers with one case of each distinct row left out, for statistics that have a quicker way
   * than evaluating all rows again.
   */
  readonly leaveOneOut?: (rows: DistinctRows) => readonly (readonly (number | null)[])[]
}

/** Σ weight · value of each column. */
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
 * A statistic that depends on the rows only through the sums of their columns and the number of
 * cases: means, ratios of totals, and smooth functions of them. Leaving a case out is then one
 * subtraction.
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
 * The answers with one case of each distinct row left out, by the statistic's own way or by
 * evaluating it.
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
