/**
 * Where the noise comes from: how much of the spread of scores is between cases and how much
 * between trials of one case. The first only shrinks with more cases, the second also with more
 * trials, so these two numbers decide how a budget is best spent.
 *
 * One-way analysis of variance from sufficient statistics. With unequal trials per case the "trials
 * per case" in E(MSB) = within + n0 · between is n0 = (N − Σn²/N)/(m − 1), slightly below their
 * mean.
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
   * The n0 of the unbalanced design; the trials per case where they are all equal. Null with one
   * case.
   */
  readonly effectiveTrials: number | null
  /**
   * Mean square within cases: the variance of a trial about its case. Null with one trial per case.
   */
  readonly within: number | null
  /** Mean square between cases. Null with one case. */
  readonly meanSquareBetween: number | null
  /**
   * Variance of the cases' true means, 0 where its estimate is negative. Null where it cannot be
   * told.
   */
  readonly between: number | null
  /** Share of the variance that lies between cases. Null without any variance. */
  readonly icc: number | null
  /**
   * How many times larger the variance of the mean over trials is than if all trials were
   * independent.
   */
  readonly designEffect: number | null
}

/**
 * Rounding in n · sumSq and sum² may leave a sum of squares just below zero; more than that is a
 * wrong input.
 */
const ROUNDING = 1e-12

/** Σ (score − mean)² of one case. */
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
 * Variance between cases and within them, the intraclass correlation and the design effect. What
 * the data cannot tell is null: `within` needs a case with two trials, `between` also two cases.
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
  // Kish's mean cluster size, by which the variance of the mean over trials grows.
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
