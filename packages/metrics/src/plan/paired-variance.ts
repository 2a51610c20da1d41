/**
 * What the last comparison says about the next one: how much of the spread of the per-case
 * differences B − A is real (cases differ in how much they changed) and how much is the noise of a
 * few trials per case. The planner needs both; only the second shrinks with more trials.
 *
 * var(d) = omega² + mean(sA²/nA) + mean(sB²/nB), with each case's own trial variance, so that
 * unequal n are right even where hard cases got more trials.
 *
 * Source: Miller 2024, Adding Error Bars to Evals, section 5.
 */
import { checkLength, checkSameLength } from '../domain.ts'
import { fsum, mean } from '../fsum.ts'
import { type CaseSums, squaresWithin } from './variance-components.ts'

export interface PairedVariance {
  /** Variance of the observed per-case differences. */
  readonly observed: number
  /** The part of it that is trial noise, and would vanish with endless trials. */
  readonly noise: number
  /** omega²: variance of the true per-case differences, 0 where its estimate is negative. */
  readonly between: number
  /** Mean variance of one trial of A about its case. */
  readonly trialVarianceA: number
  /** Mean variance of one trial of B about its case. */
  readonly trialVarianceB: number
}

/** Mean over the cases of the trial variance, and of the variance of the case's mean. */
function trialNoise(cases: readonly CaseSums[]): { variance: number; ofMean: number } {
  const variances = cases.map((c) => ({ n: c.n, variance: squaresWithin(c) / (c.n - 1) }))
  return {
    variance: mean(variances.map(({ variance }) => variance)),
    ofMean: mean(variances.map(({ n, variance }) => variance / n)),
  }
}

/**
 * The variance components of a paired comparison; a[i] and b[i] are the same case. Null with fewer
 * than two cases or where a case has a single trial, since trial noise cannot be told from change
 * then.
 *
 * @example
 * pairedVariance(
 *   [{ n: 2, sum: 2, sumSq: 2 }, { n: 2, sum: 1, sumSq: 1 }],
 *   [{ n: 2, sum: 2, sumSq: 2 }, { n: 2, sum: 0, sumSq: 0 }],
 * ) // { observed: 0.125, noise: 0.125, between: 0, trialVarianceA: 0.25, trialVarianceB: 0 }
 */
export function pairedVariance(
  a: readonly CaseSums[],
  b: readonly CaseSums[],
): PairedVariance | null {
  checkSameLength('a', a, 'b', b)
  checkLength('a', a)
  for (const c of [...a, ...b]) squaresWithin(c)
  if (a.length < 2 || a.some(({ n }) => n < 2) || b.some(({ n }) => n < 2)) return null
  const differences = b.map(({ n, sum }, i) => {
    const other = a[i] as CaseSums
    return sum / n - other.sum / other.n
  })
  const centre = mean(differences)
  const observed = fsum(differences.map((d) => (d - centre) ** 2)) / (differences.length - 1)
  const noiseA = trialNoise(a)
  const noiseB = trialNoise(b)
  const noise = noiseA.ofMean + noiseB.ofMean
  return {
    observed,
    noise,
    between: Math.max(0, observed - noise),
    trialVarianceA: noiseA.variance,
    trialVarianceB: noiseB.variance,
  }
}
