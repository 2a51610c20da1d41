/**
 * The interval of a suite's rate for cases like these (target `population`).
 *
 * The suite is as precise as a certain number of independent pass/fail observations. The spread between cases shows
 * this number: n_eff = rate(1 − rate)/se², where se is the standard error of the rate. The interval is the exact one
 * for n_eff trials.
 *
 * If the cases agree by chance, the spread is too small and n_eff too large. So n_eff has two limits. It is at most two
 * per case (one if there are fewer than ten cases), because other kinds of cases can exist that are not in the suite.
 * And it is at most the number of independent attempts of k trials. If every case's value is 0 or 1, which is always
 * true at k = n, the rate is a binomial proportion, and n_eff is the number of cases.
 *
 * If the cases come in groups, `grouped-interval.ts` computes the interval.
 *
 * docs/design/default-intervals.md has the figures. Source of the idea: Korn and Graubard 1998.
 */
import { checkBetween, checkLength, checkLevel, checkNumber } from '../../domain.ts'
import { DEFAULT_LEVEL, type Interval } from '../../metric.ts'
import { groupedInterval } from '../grouped-interval.ts'
import { type EffectiveInterval, type Spread, spreadOverCases } from '../weighted-mean.ts'
import { kornGraubard } from './clopper-pearson.ts'

/**
 * Returns the largest number of observations that one case can count as. In a suite with fewer than
 * ten cases, this number is one, because it is too likely that a kind of case is missing from the
 * suite. With two observations per case, the intervals of such suites contained the true value only
 * 90 % of the time.
 */
const observationsPerCase = (units: number): number => (units < 10 ? 1 : 2)

export interface PopulationOptions {
  /**
   * The number of independent attempts of k trials behind the values, which limits n_eff. It is
   * sum(n)/k if all cases have the same number of trials n. By default there is no limit.
   */
  readonly attempts?: number
  /** `groups[i]` names the group of case i: the template or repository that it shares with others. */
  readonly groups?: readonly (string | number)[]
}

export type { EffectiveInterval } from '../weighted-mean.ts'

const seenN = ({ mean, se, units }: Spread, attempts: number): number =>
  se === 0
    ? units
    : Math.min((mean * (1 - mean)) / (se * se), observationsPerCase(units) * units, attempts)

/**
 * Returns the population interval of the mean of the values of at least two cases, from their
 * spread.
 */
export function populationInterval(
  spread: Spread,
  attempts: number,
  level: number,
): EffectiveInterval {
  const effectiveN = spread.binary ? spread.units : seenN(spread, attempts)
  const bounds = kornGraubard(spread.mean, effectiveN, level)
  const method = spread.binary ? 'Clopper-Pearson over cases' : 'Clopper-Pearson on effective n'
  return { interval: { ...bounds, level, method, target: 'population' }, effectiveN }
}

/**
 * Returns the interval for the mean value over cases like these. There is one value in [0, 1] per
 * case (a pass rate, an unbiased pass@k or pass^k). The interval needs at least two cases, or two
 * groups.
 *
 * @example effectiveNInterval([0.2, 0.6, 0.8, 1], 0.95, { attempts: 20 }).low // 0.13569903524773677
 */
export function effectiveNInterval(
  values: readonly number[],
  level: number = DEFAULT_LEVEL,
  { attempts = Infinity, groups }: PopulationOptions = {},
): Interval {
  checkLength('values', values, 2)
  for (const value of values) checkNumber('values', value, 0, 1)
  checkLevel(level)
  if (attempts !== Infinity) checkBetween('attempts', attempts, 0, Infinity)
  if (groups) {
    const { estimate } = groupedInterval(values, groups, attempts, level)
    if (estimate === null) throw new RangeError('groups must name at least 2 groups, got 1')
    return estimate.interval
  }
  const spread = spreadOverCases(values.map((value) => ({ value, cases: 1 })))
  return populationInterval(spread, attempts, level).interval
}
