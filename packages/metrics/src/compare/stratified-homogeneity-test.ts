/**
 * Do several subjects or tiers pass equally often on the same cases? This is the generalised
 * Cochran-Mantel-Haenszel test. On each case, it compares the passes of each subject with the
 * number that is expected from the case's total, and it adds these differences over the cases. Easy
 * and hard cases can be mixed, because subjects are compared within each case only. So the test has
 * more power than a test of pooled trials. For two subjects it is the Mantel-Haenszel test without
 * continuity correction (the exact form is exactStratifiedTest).
 *
 * Source: Landis, Heyman and Koch 1978; Agresti 2013, section 8.4.
 */
import { checkInteger } from '../domain.ts'
import type { CaseCounts } from '../metric.ts'
import { chiSquareSf } from '../special/chi-square.ts'
import { factorize } from './quadratic-form.ts'
import { checkStrata, sumExcess } from './stratified-mean-test.ts'

export interface StratifiedHomogeneity {
  readonly statistic: number
  /**
   * The degrees of freedom: usually the number of subjects minus one. They are fewer if some
   * subjects share no informative case with the others, and 0 if no case is informative.
   */
  readonly df: number
  readonly p: number
  /**
   * The number of informative cases: cases that at least two subjects tried, and on which some
   * trials passed and some failed.
   */
  readonly informative: number
}

/**
 * Returns the p-value of the hypothesis "on each case all subjects pass equally often".
 * strata[case][subject] has the number of trials n and of passes c. n is 0 if the subject did not
 * try the case. If no case is informative, p is 1.
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
  checkStrata(strata)
  for (const { n, c } of strata.flat()) {
    checkInteger('n', n, 0)
    checkInteger('c', c, 0, n)
  }
  const { excess, covariance, informative } = sumExcess(
    strata.map((stratum) => stratum.map(({ n, c }) => ({ n, sum: c, sumSq: c }))),
  )
  const factor = factorize(covariance)
  const statistic = factor.evaluate(excess)
  const df = factor.rank
  const p = df === 0 ? 1 : chiSquareSf(statistic, df)
  return { statistic, df, p, informative: informative.length }
}
