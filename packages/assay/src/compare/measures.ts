/**
 * The five measures that can be compared. All have the same interface: each gives its value on both sides, over the
 * same cases, and the difference of the two values. A positive difference always means better. It is on the same scale
 * as the margin.
 *
 * Scores and rates are compared in points. By default, their interval is for the fixed set: exactly these cases, tried
 * again. The reason is that a user who asks whether a change broke something means this suite. A case that went from
 * 10/10 to 0/10 is broken even if other cases improved. Each side has its own fixed-set interval, and if the cases are
 * given, the two sides are independent. The two intervals are combined with Newcombe's method for two proportions,
 * which adds up the squared distances to the bounds (Zou and Donner 2008 call it MOVER). If a case has no more than k
 * trials, the variation within the case cannot be estimated. Then a paired t test over the cases is used instead, which
 * is also valid for the fixed set. docs/design/gate.md describes how all of this was validated.
 *
 * Similar cases can form groups. Groups make no difference to the fixed set, because only the trials vary there. For
 * the other target (cases like these), and in every paired t test, groups are counted instead of cases.
 *
 * The cost of a pass and the latency have no upper bound, so they are compared as ratios. The logarithm of a ratio is
 * linearised into one value per case, and the paired t test is applied to these values. The margin is relative. The
 * cost of a pass is total cost divided by total passes, as in a report.
 */
import {
  mean,
  meanScoreEstimate,
  pairedDifference,
  pairedVariance,
  passHatKEstimate,
  passHatKUnbiased,
  type CaseSums,
  type Metric,
  type PairedDifference,
  type Target,
  type TrialNoise,
} from '@assay/metrics'
import {
  fixedDifference,
  logRatioValues,
  scoreSums,
  type CaseReport,
  type RatioPart,
} from '../report/index.ts'
import { groupsOf, scoreOf, type CasePair } from './match-cases.ts'
import type { MetricName } from './names.ts'

export interface Setting {
  readonly level: number
  readonly target: Target
  /** The k of pass^k. */
  readonly k: number
}

/**
 * The values of a measure on both sides. If their difference cannot be computed, `difference` is null and `reason` says
 * why.
 */
export interface Measured {
  readonly baseline: number | null
  readonly current: number | null
  /** The difference. A positive value means better. For ratios it is the negative difference of the logarithms. */
  readonly difference: PairedDifference | null
  readonly reason: string | null
  /** The number of cases that the values are computed from. */
  readonly cases: number
  readonly noise: TrialNoise | null
}

export interface Measure {
  readonly name: MetricName
  readonly scale: 'points' | 'ratio'
  /** The default margin. It is relative for measures that are compared as ratios. */
  readonly margin: number
  readonly compare: (pairs: readonly CasePair[], setting: Setting) => Measured
}

// ── Scores and rates ─────────────────────────────────────────────────────────────────────────────────

/** How a measure that is compared in points computes the value of a case. */
interface Points {
  readonly usable: (one: CaseReport, k: number) => boolean
  /** Whether the case has enough trials to estimate how much the value varies within the case. */
  readonly varies: (one: CaseReport, k: number) => boolean
  readonly value: (one: CaseReport, k: number) => number
  readonly estimate: (cases: readonly CaseReport[], k: number, level: number) => Metric
  readonly sums: (one: CaseReport) => CaseSums
}

const scores: Points = {
  usable: ({ sums }) => sums.scores > 0,
  varies: ({ sums }) => sums.scores > 1,
  value: scoreOf,
  estimate: (cases, _k, level) => meanScoreEstimate(cases.map(scoreSums), 'fixed', level),
  sums: scoreSums,
}

const rates: Points = {
  usable: ({ n }, k) => n >= k,
  varies: ({ n }, k) => n > k,
  value: ({ n, c }, k) => passHatKUnbiased(n, c, k),
  estimate: (cases, k, level) => passHatKEstimate(cases, k, 'fixed', level),
  sums: ({ n, c }) => ({ n, sum: c, sumSq: c }),
}

function comparePoints(points: Points, pairs: readonly CasePair[], setting: Setting): Measured {
  const { k, level, target } = setting
  const used = pairs.filter(({ a, b }) => points.usable(a, k) && points.usable(b, k))
  const cases = used.length
  if (cases === 0) return nothing(k > 1 ? `no case has ${k} scored trials on both sides` : NO_CASE)
  const before = used.map(({ a }) => a)
  const after = used.map(({ b }) => b)
  const valuesA = before.map((one) => points.value(one, k))
  const valuesB = after.map((one) => points.value(one, k))
  const both = { baseline: mean(valuesA), current: mean(valuesB), reason: null, cases }
  const trials = trialsPerCase(used)
  const fixed = [...before, ...after].every((one) => points.varies(one, k))
    ? fixedDifference(points.estimate(before, k, level), points.estimate(after, k, level), {
        cases,
        trials: cases * trials,
        level,
      })
    : null
  if (target === 'fixed' && fixed !== null) {
    const difference = fixed
    // If the cases are fixed, all variance comes from the trials. So any precision can be reached with enough trials.
    const noise = { trialsPerCase: trials, noise: (difference.se ?? 0) ** 2 * cases }
    return { ...both, difference, noise }
  }
  const difference = containing(pairedDifference(valuesA, valuesB, level, groupsOf(used)), fixed)
  const variance = k === 1 ? pairedVariance(before.map(points.sums), after.map(points.sums)) : null
  return {
    ...both,
    difference,
    noise: variance === null ? null : { trialsPerCase: trials, noise: variance.noise },
  }
}

/**
 * Widens the interval for cases like these if it does not contain the interval for exactly these cases. Its p-value is
 * then computed from the widened interval.
 */
function containing(paired: PairedDifference, fixed: PairedDifference | null): PairedDifference {
  if (paired.interval === null || fixed === null || fixed.interval === null) return paired
  const low = Math.min(paired.interval.low, fixed.interval.low)
  const high = Math.max(paired.interval.high, fixed.interval.high)
  return { ...paired, p: null, interval: { ...paired.interval, low, high } }
}

/**
 * Returns the harmonic mean of the number of trials per case, and at least 1. This number determines how much the mean
 * over cases varies.
 */
function trialsPerCase(pairs: readonly CasePair[]): number {
  const inverse = mean(pairs.map(({ a, b }) => (1 / a.n + 1 / b.n) / 2))
  return Math.max(1, Math.round(1 / inverse))
}

// ── Cost and latency ─────────────────────────────────────────────────────────────────────────────────

const ratioOf = (parts: readonly RatioPart[]): number | null => {
  const bottom = mean(parts.map((part) => part.bottom))
  return bottom === 0 ? null : mean(parts.map((part) => part.top)) / bottom
}

interface Ratio {
  readonly usable: (one: CaseReport) => boolean
  readonly part: (one: CaseReport) => RatioPart
  /**
   * Texts that say why there is no ratio. `cases`: some cases cannot be used. `top`: the numerator is 0. `bottom`: the
   * denominator is 0.
   */
  readonly without: { readonly cases: string; readonly top: string; readonly bottom: string }
}

const costs: Ratio = {
  usable: ({ n, sums }) => n > 0 && sums.costs === n,
  part: ({ c, sums }) => ({ top: sums.costUsd, bottom: c }),
  without: {
    cases: 'prices are unknown',
    top: 'nothing cost anything',
    bottom: 'nothing passed',
  },
}

const latencies: Ratio = {
  usable: ({ n, meanAnswerMs }) => n > 0 && meanAnswerMs !== null,
  part: ({ meanAnswerMs }) => ({ top: meanAnswerMs ?? 0, bottom: 1 }),
  without: { cases: 'times are unknown', top: 'answers took no time', bottom: '' },
}

function compareRatio(ratio: Ratio, pairs: readonly CasePair[], { level }: Setting): Measured {
  if (pairs.length === 0) return nothing(NO_CASE)
  const used = pairs.filter(({ a, b }) => ratio.usable(a) && ratio.usable(b))
  // If the cost of some cases is unknown, a total over the other cases would not be comparable with the report. So
  // there is no ratio.
  if (used.length < pairs.length) return nothing(ratio.without.cases)
  const before = used.map(({ a }) => ratio.part(a))
  const after = used.map(({ b }) => ratio.part(b))
  const both = { baseline: ratioOf(before), current: ratioOf(after), cases: used.length }
  const without = (reason: string): Measured => ({ ...both, difference: null, reason, noise: null })
  for (const [side, parts] of [['baseline', before] as const, ['current run', after] as const]) {
    if (parts.every(({ bottom }) => bottom === 0))
      return without(`${ratio.without.bottom} in the ${side}`)
    if (parts.every(({ top }) => top === 0)) return without(`${ratio.without.top} in the ${side}`)
  }
  const turned = (parts: readonly RatioPart[]): number[] => logRatioValues(parts).map((x) => -x)
  const difference = pairedDifference(turned(before), turned(after), level, groupsOf(used), 'any')
  return { ...both, difference, reason: null, noise: null }
}

// ── All measures ─────────────────────────────────────────────────────────────────────────────────────

const NO_CASE = 'no case has scored trials on both sides'

const nothing = (reason: string): Measured => ({
  baseline: null,
  current: null,
  difference: null,
  reason,
  cases: 0,
  noise: null,
})

const inPoints = (name: MetricName, points: Points, kOf: (k: number) => number): Measure => ({
  name,
  scale: 'points',
  margin: 0.05,
  compare: (pairs, setting) => comparePoints(points, pairs, { ...setting, k: kOf(setting.k) }),
})

const asRatio = (name: MetricName, ratio: Ratio): Measure => ({
  name,
  scale: 'ratio',
  margin: 0.1,
  compare: (pairs, setting) => compareRatio(ratio, pairs, setting),
})

const MEASURES: Readonly<Record<MetricName, Measure>> = {
  meanScore: inPoints('meanScore', scores, () => 1),
  passRate: inPoints('passRate', rates, () => 1),
  passHatK: inPoints('passHatK', rates, (k) => k),
  costOfPass: asRatio('costOfPass', costs),
  latency: asRatio('latency', latencies),
}

export const measureOf = (name: MetricName): Measure => MEASURES[name]
