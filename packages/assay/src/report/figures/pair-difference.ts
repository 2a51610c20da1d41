/**
 * Computes the difference B − A of two subjects, over the cases on which both were scored. It has two intervals: one
 * for exactly these cases if they were tried again (`fixed`), and one for cases like these (`population`). Each
 * interval has its own p-value, and it excludes zero exactly when that p-value is below one minus its level.
 *
 * A statement about cases like these must also be true for exactly these cases. So the population interval must contain
 * the fixed one. If there are few cases and their differences happen to be similar, a paired t interval can be narrower
 * than the fixed interval. It is then widened to contain the fixed interval, and its p-value is the larger of the two.
 */
import {
  DEFAULT_LEVEL,
  intervalP,
  mean,
  meanScoreEstimate,
  pairedDifference,
  passRateEstimate,
  type CaseScores,
  type Interval,
  type Metric,
  type PairedDifference,
  type Target,
} from '@assay/metrics'
import { fixedDifference } from './fixed-difference.ts'
import type { ReportMetric } from '../schema/report.ts'
import { reported } from '../schema/to-metric.ts'

/** What the values of trials are: `passes` are 0 or 1, `scores` are from 0 to 1. */
export type ValueKind = 'passes' | 'scores'

export interface PairedCases {
  readonly kind: ValueKind
  /** The sums of each case: `before` for A and `after` for B. Every case has at least one value from both. */
  readonly before: readonly CaseScores[]
  readonly after: readonly CaseScores[]
  /** The group of each case, if cases form groups. */
  readonly groups?: readonly string[] | undefined
}

export interface PairDifference {
  readonly fixed: PairedDifference
  readonly population: PairedDifference
}

const valueOf = ({ n, sum }: CaseScores): number => Math.min(1, Math.max(0, sum / n))

/**
 * Returns an estimate from the sums of each case. A pass has the value 1, so the sum of a case is its number of passes.
 */
export const estimateOf = (
  kind: ValueKind,
  cases: readonly CaseScores[],
  target: Target,
  level: number = DEFAULT_LEVEL,
  groups?: readonly string[],
): Metric =>
  kind === 'passes'
    ? passRateEstimate(
        cases.map(({ n, sum }) => ({ n, c: sum })),
        target,
        level,
        groups,
      )
    : meanScoreEstimate(cases, target, level, groups)

/** Returns the difference with both intervals at one level. There must be at least one case. */
export function pairDifference(pair: PairedCases, level: number = DEFAULT_LEVEL): PairDifference {
  const fixed = fixedAt(pair, level)
  const own = fixed.p ?? intervalP(0, (at) => fixedAt(pair, at).interval, level)
  return differenceWith(pair, { ...fixed, p: own }, level)
}

/**
 * Returns both intervals at one level. It is faster than `pairDifference`, because it does not search for the p-values.
 */
export const pairIntervals = (
  pair: PairedCases,
  level: number,
): Readonly<Record<Target, Interval | null>> => {
  const { fixed, population } = differenceWith(pair, { ...fixedAt(pair, level), p: 1 }, level)
  return { fixed: fixed.interval, population: population.interval }
}

function differenceWith(pair: PairedCases, fixed: PairedDifference, level: number): PairDifference {
  const paired = pairedAt(pair, level)
  if (paired.interval === null || fixed.interval === null) return { fixed, population: paired }
  const interval = {
    ...paired.interval,
    low: Math.min(paired.interval.low, fixed.interval.low),
    high: Math.max(paired.interval.high, fixed.interval.high),
  }
  const p = paired.p === null || fixed.p === null ? null : Math.max(paired.p, fixed.p)
  return { fixed, population: { ...paired, interval, p } }
}

const pairedAt = ({ before, after, groups }: PairedCases, level: number): PairedDifference =>
  pairedDifference(before.map(valueOf), after.map(valueOf), level, groups)

/**
 * Returns the difference with the interval for exactly these cases. This interval needs to know how much the trials of
 * each case vary, which a single trial does not show. So if any case has only one trial, the paired difference over
 * cases is used instead. Its interval is wide enough, because it also contains the variation between cases.
 */
function fixedAt(pair: PairedCases, level: number): PairedDifference {
  const { kind, before, after } = pair
  const all = [...before, ...after]
  if (all.some(({ n }) => n < 2)) {
    const paired = pairedAt(pair, level)
    return paired.interval === null
      ? paired
      : { ...paired, interval: { ...paired.interval, target: 'fixed' } }
  }
  const trials = Math.round(before.length / mean(all.map(({ n }) => 1 / n)))
  return fixedDifference(
    estimateOf(kind, before, 'fixed', level),
    estimateOf(kind, after, 'fixed', level),
    { cases: before.length, trials, level },
  )
}

/** Converts a difference to the form in which the report stores it. If there is no interval, `reason` says why. */
export function reportedDifference({
  difference: value,
  n,
  units,
  se,
  interval,
  p,
}: PairedDifference): ReportMetric {
  const groups = interval?.target !== 'fixed' && units < n ? { groups: units } : {}
  if (interval === null)
    return {
      ...{ value, n, ...groups },
      reason: units < 2 ? oneUnit(n) : 'all cases agree: no spread was seen',
    }
  const isUnbounded = interval.low <= -1 || interval.high >= 1
  return {
    ...reported({
      ...{ value, n, ...groups, effectiveN: units, interval },
      ...(se === null ? {} : { se }),
      ...(isUnbounded ? { reason: 'so few cases do not bound the difference on each side' } : {}),
    }),
    ...(p === null ? {} : { p }),
  }
}

const oneUnit = (n: number): string =>
  n === 1 ? 'one case says nothing about others' : 'one group of cases says nothing about others'
