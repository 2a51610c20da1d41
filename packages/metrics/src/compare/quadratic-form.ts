/**
 * Computes x' V⁻¹ x for a vector x and its covariance matrix V, also if V does not have full rank. If x is 0 on
 * average, the result is a chi-square statistic.
 */

/**
 * A pivot is the diagonal element of a row after the rows before it have been subtracted. A pivot
 * of at most this share of the original element is only rounding error. The row is then linearly
 * dependent on the rows before it.
 */
const DEPENDENT = 1e-10

export interface Factor {
  /** The number of rows of the matrix. */
  readonly size: number
  readonly rank: number
  /** Returns x' V⁻¹ x, computed from the linearly independent rows. */
  readonly evaluate: (x: Float64Array) => number
}

/**
 * Factors a symmetric matrix, given by its lower triangle, as L D L', where L is lower triangular
 * and D is diagonal. The matrix is overwritten. A row whose pivot is zero depends linearly on the
 * rows before it. Such a row is left out and does not count for the rank.
 */
export function factorize(matrix: readonly Float64Array[]): Factor {
  const diagonal = matrix.map((row, i) => row[i] as number)
  const pivots: number[] = []
  for (const [k, pivotRow] of matrix.entries()) {
    const pivot = pivotRow[k] as number
    if (pivot <= DEPENDENT * (diagonal[k] as number)) continue
    pivots.push(k)
    for (let i = k + 1; i < matrix.length; i++) {
      const row = matrix[i] as Float64Array
      const factor = (row[k] as number) / pivot
      for (let j = k + 1; j <= i; j++)
        row[j] = (row[j] as number) - factor * ((matrix[j] as Float64Array)[k] as number)
    }
  }
  const evaluate = (x: Float64Array): number => {
    const rest = Float64Array.from(x)
    let total = 0
    for (const k of pivots) {
      const pivot = (matrix[k] as Float64Array)[k] as number
      const value = rest[k] as number
      total += (value * value) / pivot
      for (let i = k + 1; i < matrix.length; i++)
        rest[i] = (rest[i] as number) - (((matrix[i] as Float64Array)[k] as number) / pivot) * value
    }
    return total
  }
  return { size: matrix.length, rank: pivots.length, evaluate }
}
