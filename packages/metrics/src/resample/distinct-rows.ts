/**
 * Each case is a row of numbers (passes, cost, …). Equal rows are merged into one distinct row,
 * which is stored with the number of cases that have it (its multiplicity). A resample of cases is
 * then one count per distinct row. For example, 10,000 cases of five trials have only six distinct
 * pass counts.
 *
 * The rows are sorted, so the order of the input changes nothing, not even a rounding error.
 */
import { checkLength, checkNumber, checkSameLength } from '../domain.ts'

export interface DistinctRows {
  /** The number of cases: the sum of `multiplicity`. */
  readonly cases: number
  /** `multiplicity[i]` is the number of cases that have row i. */
  readonly multiplicity: Float64Array
  /** `columns[j][i]` is number j of row i. */
  readonly columns: readonly Float64Array[]
}

function compareRows(a: readonly number[], b: readonly number[]): number {
  for (let j = 0; j < a.length; j++) {
    const difference = (a[j] as number) - (b[j] as number)
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * Returns the distinct rows among the cases, sorted, with their multiplicities. To compare several
 * subjects on the same resampled cases, put the numbers of all subjects for a case into one row.
 *
 * @example distinctRows([[1], [0], [1]]).multiplicity // Float64Array [1, 2], for the rows 0 and 1
 */
export function distinctRows(rows: readonly (readonly number[])[]): DistinctRows {
  checkLength('rows', rows)
  const width = (rows[0] as readonly number[]).length
  for (const [i, row] of rows.entries()) {
    checkSameLength('rows[0]', { length: width }, `rows[${i}]`, row)
    for (const [j, value] of row.entries()) checkNumber(`rows[${i}][${j}]`, value)
  }
  const sorted = rows.toSorted(compareRows)
  const distinct: (readonly number[])[] = []
  const multiplicity: number[] = []
  for (const row of sorted) {
    const before = distinct.at(-1)
    if (before !== undefined && compareRows(before, row) === 0)
      multiplicity[multiplicity.length - 1] = (multiplicity.at(-1) as number) + 1
    else {
      distinct.push(row)
      multiplicity.push(1)
    }
  }
  return {
    cases: rows.length,
    multiplicity: Float64Array.from(multiplicity),
    // Adding 0 turns −0 into 0, because the comparison above treats both as equal.
    columns: Array.from({ length: width }, (_, j) =>
      Float64Array.from(distinct, (row) => (row[j] as number) + 0),
    ),
  }
}
