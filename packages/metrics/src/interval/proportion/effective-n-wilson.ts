/**
 * The interval of a suite's rate for cases like these: the population target.
 *
 * The spread between cases says how many independent yes-or-no observations the suite is worth,
 * n_eff = rate(1 − rate)/se², and Wilson's interval is taken on that number with the t quantile. Where
 * the seen cases agree by luck the spread is too small, so n_eff is capped: at two per case, since a kind
 * of case that was not drawn can always hide, and at the number of independent attempts of k trials.
 *
 * When every case's value is 0 or 1 (always so at k = n) the rate is a plain binomial of m cases and
 * moves on a lattice where Wilson covers 88 % at worst; there the exact interval is taken instead, which
 * also is a guarantee. Cases that come in groups count by their groups: CR1 standard error, G − 1 degrees
 * of freedom, two observations per group at most.
 *
 * docs/design/default-intervals.md has the figures. Source of the idea: Korn and Graubard 1998.
 */
import { checkBetween, checkLength, checkNumber } from '../../domain.ts'
import { type Bounds, DEFAULT_LEVEL, type Interval } from '../../metric.ts'
import { tQuantile } from '../../special/student-t.ts'
import { kornGraubard } from './clopper-pearson.ts'
import { clusteredSE } from '../clustered-se.ts'
import { ROUNDING, type Spread, spreadOverCases } from '../weighted-mean.ts'
import { wilsonBounds } from './wilson.ts'

/** A case's trials bear on other cases no more than two independent observations would. */
const OBSERVATIONS_PER_UNIT = 2

export interface PopulationOptions {
  /** Independent attempts of k trials behind the values: sum(n)/k for equal n. Unlimited unless given. */
  readonly attempts?: number
  /** `groups[i]` names what case i shares with others: a template, a repository. */
  readonly groups?: readonly (string | number)[]
}

/** The interval from the spread of the values; `exactN` is the n of the exact interval for 0/1 values. */
function boundsFromSpread(
  { mean, se, units, binary }: Spread,
  attempts: number,
  exactN: number | null,
  level: number,
): Bounds & { readonly method: string } {
  const most = Math.min(OBSERVATIONS_PER_UNIT * units, attempts)
  const effectiveN = se === 0 ? units : Math.min((mean * (1 - mean)) / (se * se), most)
  if (binary) {
    const method = exactN === null ? 'Clopper-Pearson on effective n' : 'Clopper-Pearson over cases'
    return { ...kornGraubard(mean, exactN ?? effectiveN, level), method }
  }
  const quantile = -tQuantile((1 - level) / 2, units - 1)
  return { ...wilsonBounds(mean, effectiveN, quantile), method: 'effective-n Wilson' }
}

/** The population interval of the mean of per-case values, given by their spread; at least two cases. */
export function populationInterval(spread: Spread, attempts: number, level: number): Interval {
  const { low, high, method } = boundsFromSpread(spread, attempts, spread.units, level)
  return { low, high, level, method, target: 'population' }
}

/**
 * Interval for the mean over cases like these of values in [0, 1] (pass rates, unbiased pass@k or
 * pass^k), one value per case; at least two cases, or two groups.
 *
 * @example effectiveNWilson([0.2, 0.6, 0.8, 1], 0.95, { attempts: 20 }).low // 0.19688470526009927
 */
export function effectiveNWilson(
  values: readonly number[],
  level: number = DEFAULT_LEVEL,
  { attempts = Infinity, groups }: PopulationOptions = {},
): Interval {
  checkLength('values', values, 2)
  for (const value of values) checkNumber('values', value, 0, 1)
  checkBetween('level', level, 0, 1)
  if (attempts !== Infinity) checkBetween('attempts', attempts, 0, Infinity)
  const spread = spreadOverCases(values.map((value) => ({ value, cases: 1 })))
  if (!groups) return populationInterval(spread, attempts, level)
  const { se, df } = clusteredSE(values, groups)
  const grouped = { ...spread, se: se < ROUNDING ? 0 : se, units: df + 1 }
  const { low, high, method } = boundsFromSpread(grouped, attempts, null, level)
  return { low, high, level, method: `${method}, grouped`, target: 'population' }
}
