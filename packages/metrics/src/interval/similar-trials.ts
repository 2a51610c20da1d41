/**
 * Fixed-set intervals of suites whose cases have very different numbers of trials.
 *
 * A case with 2 trials has the same weight in the mean as a case with 30. But 2 trials show little
 * of the spread of a case: if both pass, the variance seems to be 0. So a standard error over the
 * whole suite would mainly reflect the cases with many trials, and its interval contained the true
 * value only 87 % of the time at worst. So the suite is split into parts of cases with similar
 * numbers of trials (up to twice the smallest). Each part gets an interval. The parts are then
 * combined as independent means: the squared distances from estimate to bound are added, separately
 * for the low and the high bound. If all cases have the same number of trials, there is only one
 * part, and its interval is the result.
 *
 * Source: Zou and Donner 2008 (MOVER, the method of variance estimates recovery).
 */
import { fsum } from '../fsum.ts'
import type { Interval, IntervalMethod } from '../metric.ts'
import { type EffectiveInterval, ROUNDING } from './weighted-mean.ts'

const MOST_RATIO = 2

/**
 * Splits items into parts in which no number of trials is more than twice another. The part with the
 * fewest trials comes first.
 */
export function bySimilarTrials<T extends { readonly n: number }>(items: readonly T[]): T[][] {
  const parts: T[][] = []
  let least = 0
  for (const item of items.toSorted((a, b) => a.n - b.n)) {
    if (parts.length === 0 || item.n > MOST_RATIO * least) {
      parts.push([])
      least = item.n
    }
    parts.at(-1)?.push(item)
  }
  return parts
}

/** One part of a suite: the mean of its cases, their number, and the interval of the mean. */
export interface Part extends EffectiveInterval {
  readonly mean: number
  readonly cases: number
}

/**
 * Returns the method name for the combined interval. If the parts have different methods, the name
 * is that of the part with the least information.
 */
function byNumber(methods: readonly IntervalMethod[]): IntervalMethod {
  if (methods.includes('Clopper-Pearson over trials'))
    return 'Clopper-Pearson over trials, by number of trials'
  return methods.includes('Clopper-Pearson on effective n with unseen share')
    ? 'Clopper-Pearson on effective n with unseen share, by number of trials'
    : 'Clopper-Pearson on effective n, by number of trials'
}

/** Combines the intervals of the parts into the interval of the mean over all cases. */
export function addParts(parts: readonly Part[]): EffectiveInterval {
  const [first] = parts
  if (first === undefined) throw new RangeError('parts must not be empty')
  if (parts.length === 1) return { interval: first.interval, effectiveN: first.effectiveN }
  const cases = parts.reduce((sum, part) => sum + part.cases, 0)
  const mean = fsum(parts.map((part) => (part.cases * part.mean) / cases))
  const reach = (bound: 'high' | 'low'): number =>
    Math.sqrt(
      fsum(parts.map((part) => ((part.cases / cases) * (part.interval[bound] - part.mean)) ** 2)),
    )
  const interval: Interval = {
    ...first.interval,
    low: Math.max(0, mean - reach('low')),
    high: Math.min(1, mean + reach('high')),
    method: byNumber(parts.map((part) => part.interval.method)),
  }
  // This number follows from the variance of a weighted mean, if each part has `effectiveN`
  // observations and all observations have the same variance.
  const effectiveN = 1 / fsum(parts.map((part) => (part.cases / cases) ** 2 / part.effectiveN))
  return { interval, effectiveN }
}

/** The name of an interval with one end from the spread over cases and one end from the trials. */
const HULL: IntervalMethod = 'hull of the intervals over cases and over trials'

/**
 * Returns the interval from the lower of the two low ends to the higher of the two high ends. What
 * is said about cases like these must also be true for exactly these cases, so the population
 * interval contains the fixed-set interval. `method` and `effectiveN` describe the interval that is
 * returned: if both ends come from one of the two, they are those of that one. Otherwise
 * `effectiveN` is the smaller one.
 */
export function containing(
  population: EffectiveInterval,
  fixed: EffectiveInterval,
): EffectiveInterval {
  const { interval, effectiveN } = population
  const low = Math.min(interval.low, fixed.interval.low)
  const high = Math.max(interval.high, fixed.interval.high)
  const is = (end: number, other: number): boolean => Math.abs(end - other) < ROUNDING
  if (is(low, interval.low) && is(high, interval.high))
    return { interval: { ...interval, low, high }, effectiveN }
  return is(low, fixed.interval.low) && is(high, fixed.interval.high)
    ? {
        interval: { ...interval, low, high, method: fixed.interval.method },
        effectiveN: fixed.effectiveN,
      }
    : {
        interval: { ...interval, low, high, method: HULL },
        effectiveN: Math.min(effectiveN, fixed.effectiveN),
      }
}
