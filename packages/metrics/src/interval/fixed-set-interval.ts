/**
 * The interval of a suite's rate for exactly these cases, tried again: the fixed-set target. Only the
 * trials within each case vary, so it is about half as wide as the population's and says nothing of
 * other cases.
 *
 * The variance of a case's value is its jackknife over the trials: leaving out a pass or a failure moves
 * the value, and n − 1 over n times the squared movements is the variance; for the pass rate that is
 * p(1 − p)/(n − 1). It turns the suite into n_eff = rate(1 − rate)/se² independent observations, at most
 * three per attempt of k trials, and one per attempt where no variance was seen or none can be (a case
 * with n ≤ k). The exact interval is taken on n_eff: Wilson's falls to 87 % of a nominal 90 % here.
 *
 * docs/design/default-intervals.md has the figures.
 */
import { checkBetween, checkLength, checkNumber, checkSameLength } from '../domain.ts'
import { fsum, mean } from '../fsum.ts'
import { DEFAULT_LEVEL, type Interval } from '../metric.ts'
import { kornGraubard } from './proportion/clopper-pearson.ts'
import { ROUNDING } from './weighted-mean.ts'

const OBSERVATIONS_PER_ATTEMPT = 3

/** The fixed-set interval of a mean with standard error `se` (0 where unknown) from so many attempts. */
export function fixedSetBounds(
  rate: number,
  se: number,
  attempts: number,
  level: number,
): Interval {
  const effectiveN =
    se < ROUNDING
      ? attempts
      : Math.min((rate * (1 - rate)) / (se * se), OBSERVATIONS_PER_ATTEMPT * attempts)
  const { low, high } = kornGraubard(rate, effectiveN, level)
  return { low, high, level, method: 'Clopper-Pearson on effective n', target: 'fixed' }
}

/**
 * Interval for the mean of per-case values in [0, 1] if these cases were tried again: `variances[i]` is
 * the variance of `values[i]` over its trials (all 0 where it is not known), `attempts` the number of
 * independent attempts of k trials behind all of them: sum(n)/k for equal n, m²/sum(k/n) in general.
 *
 * @example fixedSetInterval([0.8, 0.6], [0.04, 0.06], 10).low // 0.31480437214101076
 */
export function fixedSetInterval(
  values: readonly number[],
  variances: readonly number[],
  attempts: number,
  level: number = DEFAULT_LEVEL,
): Interval {
  checkLength('values', values)
  checkSameLength('variances', variances, 'values', values)
  for (const value of values) checkNumber('values', value, 0, 1)
  for (const variance of variances) checkNumber('variances', variance, 0)
  checkBetween('attempts', attempts, 0, Infinity)
  checkBetween('level', level, 0, 1)
  return fixedSetBounds(mean(values), Math.sqrt(fsum(variances)) / values.length, attempts, level)
}
