/**
 * Do several subjects, or tiers, pass equally often on the same cases? The generalised
 * Cochran-Mantel-Haenszel test: within each case the passes are compared with what each subject
 * would have on average given the case's total, and the excesses are added over the cases. Cases
 * may differ as they like, so this has the power that pooling the trials throws away. Two subjects:
 * the Mantel-Haenszel test without continuity correction (the exact form is exactStratifiedTest).
 *
 * Source: Landis, Heyman and Koch 1978; Agresti 2013, section 8.4.
 */
import { checkInteger, checkLength, checkSameLength } from '../domain.ts'
import type { CaseCounts } from '../metric.ts'
import { chiSquareSf } from '../special/chi-square.ts'

export interface StratifiedHomogeneity {
  readonly statistic: number
  /** Subjects that the cases connect, minus one; 0 where no case can tell. */
  readonly df: number
  readonly p: number
  /** Cases on which some trials passed and some failed. */
  readonly informative: number
}

/**
 * A pivot below this share of its diagonal is rounding: the subject adds nothing the others do not
 * say.
 */
const DEPENDENT = 1e-10

/**
 * p-value of "on each case all subjects pass equally often". strata[case][subject] is n trials of
 * which c passed; n may be 0 where a subject did not try a case. Without an informative case p is
 * 1.
 *
 * @example
 * stratifiedHomogeneityTest([
 *   [{ n: 5, c: 5 }, { n: 5, c: 2 }, { n: 5, c: 1 }],
 *   [{ n: 5, c: 4 }, { n: 5, c: 1 }, { n: 5, c: 0 }],
 * ]).statistic // 13.735849056603774
 */
export function stratifiedHomogeneityTest(
  strata: readonly (readonly CaseCounts[])[],
): StratifiedHomogeneity {
  checkLength('strata', strata)
  const [first = []] = strata
  checkLength('subjects', first, 2)
  // The last subject is what the others leave, so it needs no row of its own.
  const rows = first.length - 1
  const excess = new Float64Array(rows)
  const covariance = Array.from({ length: rows }, () => new Float64Array(rows))
  let informative = 0
  for (const stratum of strata) {
    checkSameLength('stratum', stratum, 'first stratum', first)
    for (const { n, c } of stratum) {
      checkInteger('n', n, 0)
      checkInteger('c', c, 0, n)
    }
    const trials = stratum.reduce((sum, { n }) => sum + n, 0)
    const passes = stratum.reduce((sum, { c }) => sum + c, 0)
    if (passes === 0 || passes === trials) continue
    informative++
    const rate = passes / trials
    const spread = (rate * (1 - rate)) / (trials - 1)
    for (const [i, { n, c }] of stratum.slice(0, rows).entries()) {
      excess[i] = (excess[i] as number) + c - n * rate
      const row = covariance[i] as Float64Array
      for (let j = 0; j <= i; j++) {
        const other = (stratum[j] as CaseCounts).n
        row[j] = (row[j] as number) + spread * n * ((i === j ? trials : 0) - other)
      }
    }
  }
  const { statistic, rank } = quadraticForm(excess, covariance)
  return { statistic, df: rank, p: rank === 0 ? 1 : chiSquareSf(statistic, rank), informative }
}

/**
 * x' V⁻¹ x for a covariance matrix given by its lower triangle, by LDL' elimination in place. A
 * vanishing pivot means that the row depends on those before it; it is left out and the rank is one
 * less.
 */
function quadraticForm(
  x: Float64Array,
  matrix: readonly Float64Array[],
): { statistic: number; rank: number } {
  const diagonal = matrix.map((row, i) => row[i] as number)
  let statistic = 0
  let rank = 0
  for (const [k, pivotRow] of matrix.entries()) {
    const pivot = pivotRow[k] as number
    if (pivot <= DEPENDENT * (diagonal[k] as number)) continue
    rank++
    statistic += (x[k] as number) ** 2 / pivot
    for (let i = k + 1; i < matrix.length; i++) {
      const row = matrix[i] as Float64Array
      const factor = (row[k] as number) / pivot
      x[i] = (x[i] as number) - factor * (x[k] as number)
      for (let j = k + 1; j <= i; j++)
        row[j] = (row[j] as number) - factor * ((matrix[j] as Float64Array)[k] as number)
    }
  }
  return { statistic, rank }
}
