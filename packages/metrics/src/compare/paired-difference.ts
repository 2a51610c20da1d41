/**
 * Did the average change on cases like these? Two subjects meet the same cases, so the case-by-case
 * differences carry the answer: most of the spread between cases cancels, which is where all the
 * power of a comparison comes from (an unpaired test of the same data has almost none). The mean
 * difference gets a t interval over cases; where cases share a template or a repository, over those
 * groups, with the CR1 standard error and G − 1 degrees of freedom.
 *
 * If every difference is the same the t interval has no width, which claims certainty from, say,
 * five cases that all agree. Then a share of up to 1 − alpha^(1/m) of cases that behave differently
 * could have gone unseen in m, at −1 or at 1 for all we know: with s = alpha^(1/m) the interval is
 * [s·d − (1 − s), s·d + (1 − s)] (d ± (1 − s) would be too short, since d itself may be luck), and the
 * p-value the largest chance of m equal differences among scores in [0, 1] whose true mean difference is 0:
 * (1 + |d|)^−m on each side.
 *
 * Source: Miller 2024, Adding Error Bars to Evals; CR1 after Liang and Zeger 1986.
 */
import { checkBetween, checkLength, checkNumber, checkSameLength } from '../domain.ts'
import { mean } from '../fsum.ts'
import { clusteredSE } from '../interval/clustered-se.ts'
import { DEFAULT_LEVEL, type Interval } from '../metric.ts'
import { tQuantile, tSf } from '../special/student-t.ts'

export interface PairedDifference {
  /** Mean of B − A over the cases. */
  readonly difference: number
  /** Cases. */
  readonly n: number
  /** What varies independently: groups where they were given, else cases. */
  readonly units: number
  /**
   * Standard error of the difference; 0 where all units agree. Null with one unit, as are all
   * below.
   */
  readonly se: number | null
  readonly df: number | null
  /** Two-sided p-value of "no difference on average". */
  readonly p: number | null
  readonly interval: Interval | null
}

/** A subtraction of two values is off by at most an ulp of the larger; below this, units agree. */
const ROUNDING = 1e-12

/**
 * The mean difference B − A over cases, a[i] and b[i] being the same case under the two subjects,
 * with its t interval and two-sided p-value. `groups[i]` names what case i shares with others. One
 * unit has no spread: its interval and p are null, as they are when all units agree on values
 * outside [0, 1].
 *
 * @example pairedDifference([0.2, 0.4, 0.6], [0.4, 0.8, 0.6]).p // 0.2254033307585167
 */
export function pairedDifference(
  a: readonly number[],
  b: readonly number[],
  level: number = DEFAULT_LEVEL,
  groups?: readonly (string | number)[],
): PairedDifference {
  checkSameLength('a', a, 'b', b)
  checkLength('a', a)
  for (const value of a) checkNumber('a', value)
  for (const value of b) checkNumber('b', value)
  checkBetween('level', level, 0, 1)
  if (groups) checkSameLength('groups', groups, 'a', a)
  const differences = b.map((value, i) => value - (a[i] as number))
  const n = differences.length
  const units = groups ? new Set(groups).size : n
  if (units < 2)
    return { difference: mean(differences), n, units, se: null, df: null, p: null, interval: null }

  const clusters = groups ?? differences.map((_, i) => i)
  const { mean: difference, se, df } = clusteredSE(differences, clusters)
  const values = [...a, ...b]
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  if (se <= ROUNDING * largest) {
    const bounded = values.every((value) => value >= 0 && value <= 1)
    return { difference, n, units, se: 0, df, ...agreement(bounded, difference, units, level) }
  }
  const reach = -tQuantile((1 - level) / 2, df) * se
  const interval: Interval = {
    low: difference - reach,
    high: difference + reach,
    level,
    method: groups ? 'pairedClusteredT' : 'pairedT',
    target: 'population',
  }
  const p = 2 * tSf(Math.abs(difference) / se, df)
  return { difference, n, units, se, df, p, interval }
}

/** Interval and p-value where all units have one and the same difference. */
function agreement(
  bounded: boolean,
  difference: number,
  units: number,
  level: number,
): Pick<PairedDifference, 'interval' | 'p'> {
  // Without bounds on the scores an unseen case could move the mean by any amount.
  if (!bounded) return { interval: null, p: null }
  // At least this share of cases agree; the others may lie anywhere, at −1 or at 1 at worst.
  const agreeing = Math.exp(Math.log1p(-level) / units)
  const interval: Interval = {
    low: (1 + difference) * agreeing - 1,
    high: 1 - (1 - difference) * agreeing,
    level,
    method: 'unseenShare',
    target: 'population',
  }
  return { interval, p: Math.min(1, 2 * (1 + Math.abs(difference)) ** -units) }
}
