/**
 * The interval of a suite's rate for new trials of exactly these cases (target `fixed`). Only the
 * trials within each case vary, so the interval is about half as wide as that of the population, and
 * it says nothing about other cases.
 *
 * The variance of a case's value comes from the jackknife: each trial is left out in turn, and the variance is (n −
 * 1)/n times the sum of the squared changes of the value. For the pass rate p of a case with n trials, this is p(1 −
 * p)/(n − 1).
 *
 * The suite is as precise as a certain number of independent observations. With the standard error se of the suite,
 * this number is n_eff = rate(1 − rate)/se². An attempt is k trials, and n_eff is limited to three per attempt. If the
 * variance is 0 or unknown (a case with n ≤ k), n_eff is one per attempt. The interval is the exact one for n_eff
 * trials. Wilson's interval would contain the true rate only 87 % of the time at a nominal 90 %.
 *
 * This is valid if all cases have similar numbers of trials. Otherwise `similar-trials.ts` splits the
 * suite first.
 *
 * docs/design/default-intervals.md has the figures.
 */
import { checkBetween, checkLength, checkLevel, checkNumber, checkSameLength } from '../domain.ts'
import { fsum, mean } from '../fsum.ts'
import { DEFAULT_LEVEL, type Interval } from '../metric.ts'
import { kornGraubard } from './proportion/clopper-pearson.ts'
import type { EffectiveInterval } from './proportion/effective-n.ts'
import { ROUNDING } from './weighted-mean.ts'

const OBSERVATIONS_PER_ATTEMPT = 3

/**
 * Returns the fixed-set interval of a mean. `se` is its standard error, or 0 if that is unknown.
 * `attempts` is the number of independent attempts of k trials behind the mean.
 */
export function fixedSetBounds(
  rate: number,
  se: number,
  attempts: number,
  level: number,
): EffectiveInterval {
  const effectiveN =
    se < ROUNDING
      ? attempts
      : Math.min((rate * (1 - rate)) / (se * se), OBSERVATIONS_PER_ATTEMPT * attempts)
  const { low, high } = kornGraubard(rate, effectiveN, level)
  const method = 'Clopper-Pearson on effective n'
  return { interval: { low, high, level, method, target: 'fixed' }, effectiveN }
}

/**
 * Returns the interval for the mean of per-case values in [0, 1] over new trials of these cases.
 * `variances[i]` is the variance of `values[i]` over its trials; if it is unknown, pass 0 for every
 * case. `attempts` is the number of independent attempts of k trials behind the values: sum(n)/k if
 * all n are equal, otherwise m²/sum(k/n) for m cases.
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
  checkLevel(level)
  const se = Math.sqrt(fsum(variances)) / values.length
  return fixedSetBounds(mean(values), se, attempts, level).interval
}
