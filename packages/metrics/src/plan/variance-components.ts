/**
 * Splits the variance of scores into the variance between cases and the variance between trials of
 * one case. More cases reduce the effect of both on the mean. More trials reduce only the effect of
 * the second. So these two numbers decide whether a budget is better spent on cases or on trials.
 *
 * The method is a one-way analysis of variance from n, sum and sum of squares per case. The mean
 * square between cases has the expected value within + n0 · between, where n0 is an effective
 * number of trials per case. If all m cases have the same number of trials, n0 is that number.
 * Otherwise n0 = (N − Σn²/N)/(m − 1) for N trials in total, slightly below the mean number of
 * trials.
 *
 * Source: Searle, Casella and McCulloch 1992, section 3.6; design effect Kish 1965.
 */
import { checkInteger, checkLength, checkNumber } from '../domain.ts'
import { fsum } from '../fsum.ts'

/** n trials of one case, the sum of their scores and the sum of the squared scores. */
export interface CaseSums {
  readonly n: number
  readonly sum: number
  readonly sumSq: number
}

export interface VarianceComponents {
  readonly cases: number
  readonly trials: number
  /**
   * n0: the number of trials per case if it is the same for all cases, otherwise slightly below the
   * mean. Null if there is only one case.
   */
  readonly effectiveTrials: number | null
  /**
   * Mean square within cases: the variance of a trial around the mean of its case. Null if every case
   * has only one trial.
   */
  readonly within: number | null
  /**
   * The mean square between cases: the spread of the cases' means, weighted by their trials. Null
   * if there is only one case.
   */
  readonly meanSquareBetween: number | null
  /**
   * Variance of the cases' true means; 0 if its estimate is negative; null if it cannot be estimated.
   */
  readonly between: number | null
  /**
   * Intraclass correlation: the share of the variance between cases. Null if there is no variance.
   */
  readonly icc: number | null
  /**
   * The variance of the mean over all trials divided by the variance it would have if all trials were
   * independent.
   */
  readonly designEffect: number | null
}

/**
 * Rounding can make the sum of squared deviations slightly negative. A value further below 0 means
 * that the input is wrong.
 */
const ROUNDING = 1e-12

/**
 * Returns Σ (score − mean)², the sum of the squared deviations of the scores of one case from their
 * mean.
 */
export function squaresWithin({ n, sum, sumSq }: CaseSums): number {
  checkInteger('n', n, 1)
  checkNumber('sum', sum)
  checkNumber('sumSq', sumSq, 0)
  const squares = sumSq - (sum * sum) / n
  if (squares < -ROUNDING * sumSq)
    throw new RangeError(
      `sumSq must be at least sum²/n, got ${sumSq} for a sum of ${sum} over ${n} trials`,
    )
  return n === 1 || squares < ROUNDING * sumSq ? 0 : squares
}

/**
 * Returns the variance between cases and within them, the intraclass correlation and the design
 * effect. A figure that the data do not determine is null: `within` needs a case with at least two
 * trials, and `between` also needs two cases.
 *
 * @example
 * varianceComponents([
 *   { n: 2, sum: 2, sumSq: 2 },
 *   { n: 2, sum: 1, sumSq: 1 },
 *   { n: 2, sum: 0, sumSq: 0 },
 * ]).icc // 0.5
 */
export function varianceComponents(cases: readonly CaseSums[]): VarianceComponents {
  checkLength('cases', cases)
  const m = cases.length
  const squares = fsum(cases.map(squaresWithin))
  const trials = fsum(cases.map(({ n }) => n))
  const within = trials > m ? squares / (trials - m) : null
  if (m === 1)
    return {
      cases: m,
      trials,
      effectiveTrials: null,
      within,
      meanSquareBetween: null,
      between: null,
      icc: null,
      designEffect: null,
    }
  const mean = fsum(cases.map(({ sum }) => sum)) / trials
  const meanSquareBetween = fsum(cases.map(({ n, sum }) => n * (sum / n - mean) ** 2)) / (m - 1)
  // This is Kish's weighted mean cluster size: the mean number of trials per case, weighted by the
  // trials. The design effect below depends on it.
  const clusterSize = fsum(cases.map(({ n }) => n * n)) / trials
  const effectiveTrials = (trials - clusterSize) / (m - 1)
  const between =
    within === null ? null : Math.max(0, (meanSquareBetween - within) / effectiveTrials)
  const icc =
    within === null || between === null || between + within === 0
      ? null
      : between / (between + within)
  return {
    cases: m,
    trials,
    effectiveTrials,
    within,
    meanSquareBetween,
    between,
    icc,
    designEffect: icc === null ? null : 1 + (clusterSize - 1) * icc,
  }
}
