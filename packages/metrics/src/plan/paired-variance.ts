/**
 * Splits the variance of the per-case differences B − A of a comparison into two parts: the real
 * variation (cases differ in how much they changed) and the noise from a small number of trials per
 * case. Planning the next comparison needs both, because more trials reduce only the noise.
 *
 * The variance of the observed differences d is var(d) = omega² + mean(sA²/nA) + mean(sB²/nB). Here
 * omega² is the real variation, sA² and sB² are the variances of a trial of A and of B, and nA and
 * nB are the numbers of trials of a case. sA² and sB² are computed for each case separately. So the
 * result is right if cases have different numbers of trials, even if hard cases have more trials.
 *
 * Source: Miller 2024, Adding Error Bars to Evals, section 5.
 */
import { checkLength, checkSameLength } from '../domain.ts'
import { fsum, mean } from '../fsum.ts'
import { type CaseSums, squaresWithin } from './variance-components.ts'

export interface PairedVariance {
  /** Variance of the observed per-case differences. */
  readonly observed: number
  /** The part of `observed` that is trial noise. It would be 0 with infinitely many trials. */
  readonly noise: number
  /** omega²: variance of the true per-case differences; 0 if its estimate is negative. */
  readonly between: number
  /** Mean over the cases of the variance of one trial of A. */
  readonly trialVarianceA: number
  /** Mean over the cases of the variance of one trial of B. */
  readonly trialVarianceB: number
}

/**
 * Returns two means over the cases: the mean variance of a trial, and the mean variance of the mean
 * of a case.
 */
function trialNoise(cases: readonly CaseSums[]): { variance: number; ofMean: number } {
  const variances = cases.map((c) => ({ n: c.n, variance: squaresWithin(c) / (c.n - 1) }))
  return {
    variance: mean(variances.map(({ variance }) => variance)),
    ofMean: mean(variances.map(({ n, variance }) => variance / n)),
  }
}

/**
 * Returns the variance components of a paired comparison. a[i] and b[i] are the sums of subjects A
 * and B on the same case. The result is null if there are fewer than two cases or a case has only
 * one trial, because the components cannot be estimated then.
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
