/**
 * Compares two subjects that have few cases in common. Pairing them by case would use only a small part of the data. So
 * the cases of each subject are treated as an independent sample. If the subjects do share some cases, which are hard
 * or easy for both, the interval is wider than necessary but never too narrow.
 *
 * There are two intervals. The interval for cases like these is Welch's t interval over the means of the cases, with
 * Satterthwaite's degrees of freedom. If there are groups of cases, it is computed over the means of the groups. This
 * interval relies on the observed spread. Near 0 and 1, that spread is often too small by chance: where ten cases have
 * one failure, they could almost as well have had none. So another method is used if a mean is within two cases of 0 or
 * 1, or if one subject has no spread. It combines the exact intervals of the two means with Newcombe's method for two
 * proportions (Zou and Donner 2008 call it MOVER). The interval for exactly these cases combines the intervals of the
 * two subjects on their own cases in the same way.
 *
 * A statement about cases like these must also be true for exactly these cases. So the first interval is widened to
 * contain the second, and its p-value is the larger of the two. Every interval excludes zero exactly when its own
 * p-value is below one minus its level.
 */
import {
  clusteredSE,
  DEFAULT_LEVEL,
  intervalP,
  tQuantile,
  tSf,
  type Bounds,
  type CaseScores,
  type Interval,
  type Metric,
  type Target,
} from '@assay/metrics'
import { fixedDifference } from '../fixed-difference.ts'
import { estimateOf, type ValueKind } from '../pair-difference.ts'
import type { ReportMetric } from '../../schema/report.ts'
import { reported } from '../../schema/to-metric.ts'

const JOINED = 'intervals of independent groups joined (MOVER)'

/** If a mean is within this many cases of 0 or 1, the observed spread is not reliable. */
const NEAR_END = 2

/** A standard error below this value is only a rounding error, so it counts as zero. */
const NO_SPREAD = 1e-12

/** The scored cases of one subject. */
export interface Sample {
  readonly kind: ValueKind
  /** The sums of each case. Every case has at least one value. */
  readonly cases: readonly CaseScores[]
  /** The group of each case, if cases form groups. */
  readonly groups?: readonly string[] | undefined
}

/** The difference B − A with its interval, either for exactly these cases or for cases like these. */
export interface Between {
  readonly difference: number | null
  /** The number of cases of both subjects together. */
  readonly n: number
  readonly se: number | null
  readonly interval: Interval | null
  readonly p: number | null
}

type ForTargets<T> = Readonly<Record<Target, T>>

/** Returns the difference B − A of two independent samples, for exactly these cases and for cases like these. */
export function independentDifference(a: Sample, b: Sample): ForTargets<Between> {
  const n = a.cases.length + b.cases.length
  if (a.cases.length === 0 || b.cases.length === 0) {
    const none = { difference: null, n, se: null, interval: null, p: null }
    return { fixed: none, population: none }
  }
  const welch = welchOf(a, b)
  const between = (target: Target): number | null =>
    intervalP(0, (level) => ownAt(a, b, welch, level)[target])
  const ownPopulation = welch === null ? between('population') : welch.p
  const pFixed = isTriedOnce(a, b) ? ownPopulation : between('fixed')
  const p = ownPopulation === null ? null : Math.max(ownPopulation, pFixed ?? 0)
  const { fixed, population } = independentIntervals(a, b, DEFAULT_LEVEL)
  const difference = meanOf(b) - meanOf(a)
  const common = { difference, n, se: welch?.se ?? null }
  return {
    fixed: { ...common, ...(isTriedOnce(a, b) ? {} : { se: null }), interval: fixed, p: pFixed },
    population: { ...common, interval: population, p },
  }
}

/** Returns both intervals at one level, without their p-values. */
export function independentIntervals(
  a: Sample,
  b: Sample,
  level: number,
): ForTargets<Interval | null> {
  const { fixed, population } = ownAt(a, b, welchOf(a, b), level)
  if (fixed === null || population === null) return { fixed, population }
  return {
    fixed,
    population: {
      ...population,
      low: Math.min(population.low, fixed.low),
      high: Math.max(population.high, fixed.high),
    },
  }
}

/** Converts a difference to the form in which the report stores it. If there is no interval, `reason` says why. */
export function reportedBetween({ difference, n, se, interval, p }: Between): ReportMetric {
  if (difference === null) return { value: null, n, reason: 'one of the two has no scored case' }
  if (interval === null)
    return {
      value: difference,
      n,
      reason: 'one case, or one group of cases, says nothing about others',
    }
  const isUnbounded = interval.low <= -1 || interval.high >= 1
  return {
    ...reported({
      ...{ value: difference, n, interval },
      ...(se === null ? {} : { se }),
      ...(isUnbounded ? { reason: 'so few cases do not bound the difference on each side' } : {}),
    }),
    ...(p === null ? {} : { p }),
  }
}

/** Returns the mean of a sample over its cases. */
export const meanOf = (sample: Sample): number =>
  estimateOf(sample.kind, sample.cases, 'population').value ?? 0

/** Returns the number of independent units: the groups, or the cases if there are no groups. */
export const unitsOf = ({ cases, groups }: Sample): number =>
  groups === undefined ? cases.length : new Set(groups).size

/** Returns the estimate of a sample's mean, with the interval for cases like these. */
export const populationOf = ({ kind, cases, groups }: Sample, level: number): Metric =>
  estimateOf(kind, cases, 'population', level, groups)

// ── Intervals ────────────────────────────────────────────────────────────────────────────────────────

/**
 * Returns both intervals before one is widened to contain the other. The interval for exactly these cases needs to know
 * how much the trials of each case vary, which a single trial does not show. So if any case has only one trial, the
 * interval for cases like these is used for both. It is wide enough, because it also contains the variation between
 * cases.
 */
function ownAt(
  a: Sample,
  b: Sample,
  welch: Welch | null,
  level: number,
): ForTargets<Interval | null> {
  const population =
    welch === null
      ? joined(populationOf(a, level), populationOf(b, level), 'population', level)
      : welchInterval(welch, level)
  if (isTriedOnce(a, b))
    return { fixed: population && { ...population, target: 'fixed' }, population }
  const fixedOf = ({ kind, cases }: Sample): Metric => estimateOf(kind, cases, 'fixed', level)
  return { fixed: joined(fixedOf(a), fixedOf(b), 'fixed', level), population }
}

const isTriedOnce = (a: Sample, b: Sample): boolean =>
  [...a.cases, ...b.cases].some(({ n }) => n < 2)

function joined(a: Metric, b: Metric, target: Target, level: number): Interval | null {
  if (a.interval === undefined || b.interval === undefined) return null
  const { interval } = fixedDifference(a, b, { cases: a.n + b.n, trials: 1, level })
  return { ...clamped(interval as Bounds), level, method: JOINED, target }
}

const clamped = ({ low, high }: Bounds): Bounds => ({
  low: Math.max(-1, low),
  high: Math.min(1, high),
})

interface Welch {
  readonly difference: number
  readonly se: number
  readonly df: number
  readonly p: number
  readonly isGrouped: boolean
}

/** Returns Welch's t test. Null if the spread of one sample is not reliable. */
function welchOf(a: Sample, b: Sample): Welch | null {
  const [from, to] = [spreadOf(a), spreadOf(b)]
  if (from === null || to === null) return null
  const difference = to.mean - from.mean
  const [v, w] = [from.se ** 2, to.se ** 2]
  const se = Math.sqrt(v + w)
  const df = (v + w) ** 2 / (v ** 2 / from.df + w ** 2 / to.df)
  const isGrouped = [a, b].some((sample) => unitsOf(sample) < sample.cases.length)
  return { difference, se, df, p: Math.min(1, 2 * tSf(Math.abs(difference) / se, df)), isGrouped }
}

function welchInterval({ difference, se, df, isGrouped }: Welch, level: number): Interval {
  const reach = tQuantile((1 + level) / 2, df) * se
  return {
    ...clamped({ low: difference - reach, high: difference + reach }),
    level,
    method: isGrouped
      ? 'Welch t over groups of cases of independent groups'
      : 'Welch t over cases of independent groups',
    target: 'population',
  }
}

function spreadOf(sample: Sample): ReturnType<typeof clusteredSE> | null {
  if (unitsOf(sample) < 2) return null
  const values = sample.cases.map(({ n, sum }) => Math.min(1, Math.max(0, sum / n)))
  const spread = clusteredSE(values, sample.groups ?? [...values.keys()])
  const { mean, se, effectiveGroups } = spread
  const toEnd = Math.min(mean, 1 - mean) * effectiveGroups
  return se < NO_SPREAD || toEnd < NEAR_END + 1e-9 ? null : spread
}
