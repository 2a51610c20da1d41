/**
 * The five measures that can be compared, all with the same interface. Each gives its value on both sides
 * over the same cases, and their difference. A positive difference always means better, and it is on the same
 * scale as the margin.
 *
 * Scores and rates are compared in points. Their default target is the fixed set: exactly these cases, tried
 * again. A user who asks whether a change broke something means this suite, and a case that went from 10/10
 * to 0/10 is broken whatever other cases do. Each side has its own validated fixed-set interval, and given
 * the cases the two sides are independent. The intervals are combined with Newcombe's method for two
 * proportions: squared distances to the near and far bounds add up (Zou and Donner 2008 call it MOVER). If a
 * case has no more than k trials, its own noise cannot be estimated. Then the paired t over cases is used
 * instead, which also covers the fixed target. See docs/design/gate.md for the validation.
 *
 * Cost of a pass and latency have no upper bound and are compared as ratios. The linearised values of their
 * logarithms, one per case, go through the same paired t, and the margin is relative. The cost of a pass is
 * total cost divided by total passes, as in a report.
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
import { fixedDifference, type CaseReport } from '../report/index.ts'
import { scoreOf, type CasePair } from './match-cases.ts'
import type { MetricName } from './names.ts'

export interface Setting {
  readonly level: number
  readonly target: Target
  /** The k of pass^k. */
  readonly k: number
}

/** A measure on both sides. If there is no difference, `difference` is null and `reason` says why. */
export interface Measured {
  readonly baseline: number | null
  readonly current: number | null
  /** Positive means better. For ratios this is minus the difference of the logarithms. */
  readonly difference: PairedDifference | null
  readonly reason: string | null
  /** Number of cases that count. */
  readonly cases: number
  readonly noise: TrialNoise | null
}

export interface Measure {
  readonly name: MetricName
  readonly scale: 'points' | 'ratio'
  /** The default margin; relative for ratios. */
  readonly margin: number
  readonly compare: (pairs: readonly CasePair[], setting: Setting) => Measured
  /** The measure of one side alone, for gates with `min` or `max`. */
  readonly alone: (cases: readonly CaseReport[], setting: Setting) => Metric
}

// ── Scores and rates ─────────────────────────────────────────────────────────────────────────────────

/** How a case counts towards a measure in points. */
interface Points {
  readonly usable: (one: CaseReport, k: number) => boolean
  /** True if the case's own trials show how much it varies. */
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

/** The sums of a case, clamped: rounding can push sums of many scores slightly out of their range. */
function scoreSums({ sums }: CaseReport): CaseSums {
  const n = sums.scores
  const sum = Math.min(n, Math.max(0, sums.score))
  const least = n === 0 ? 0 : (sum * sum) / n
  return { n, sum, sumSq: Math.min(sum, Math.max(least, sums.scoreSq)) }
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
  if (target === 'fixed' && [...before, ...after].every((one) => points.varies(one, k))) {
    const difference = fixedDifference(
      points.estimate(before, k, level),
      points.estimate(after, k, level),
      { cases, trials: cases * trials, level },
    )
    // All variance comes from the trials, so enough trials can reach any precision.
    const noise = { trialsPerCase: trials, noise: (difference.se ?? 0) ** 2 * cases }
    return { ...both, difference, noise }
  }
  const difference = pairedDifference(valuesA, valuesB, level)
  const variance = k === 1 ? pairedVariance(before.map(points.sums), after.map(points.sums)) : null
  return {
    ...both,
    difference,
    noise: variance === null ? null : { trialsPerCase: trials, noise: variance.noise },
  }
}

/** The harmonic mean of the trials per case, which determines the noise of a mean over cases; at least 1. */
function trialsPerCase(pairs: readonly CasePair[]): number {
  const inverse = mean(pairs.map(({ a, b }) => (1 / a.n + 1 / b.n) / 2))
  return Math.max(1, Math.round(1 / inverse))
}

// ── Cost and latency ─────────────────────────────────────────────────────────────────────────────────

/** One case's share in a ratio of totals over cases. */
interface Part {
  readonly top: number
  readonly bottom: number
}

/**
 * Returns a value per case: the logarithm of the ratio of totals, plus the case's influence on it
 * (first-order linearisation, as in `costOfPassRatio`). The mean of these values is the logarithm itself.
 * Their variance over cases is m times the variance of the logarithm, for m cases.
 */
function logRatioValues(parts: readonly Part[]): readonly number[] {
  const top = mean(parts.map((part) => part.top))
  const bottom = mean(parts.map((part) => part.bottom))
  const log = Math.log(top / bottom)
  return parts.map((part) => log + part.top / top - part.bottom / bottom)
}

const ratioOf = (parts: readonly Part[]): number | null => {
  const bottom = mean(parts.map((part) => part.bottom))
  return bottom === 0 ? null : mean(parts.map((part) => part.top)) / bottom
}

interface Ratio {
  readonly usable: (one: CaseReport) => boolean
  readonly part: (one: CaseReport) => Part
  /** Reasons for a missing ratio: not all cases are usable, the numerator is 0, or the denominator is 0. */
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
  const used = pairs.filter(({ a, b }) => ratio.usable(a) && ratio.usable(b))
  // If a price is unknown for some cases, the sum over the others would mean something else.
  if (used.length < pairs.length || used.length === 0) return nothing(ratio.without.cases)
  const before = used.map(({ a }) => ratio.part(a))
  const after = used.map(({ b }) => ratio.part(b))
  const both = { baseline: ratioOf(before), current: ratioOf(after), cases: used.length }
  const without = (reason: string): Measured => ({ ...both, difference: null, reason, noise: null })
  for (const [side, parts] of [['baseline', before] as const, ['current run', after] as const]) {
    if (parts.every(({ bottom }) => bottom === 0))
      return without(`${ratio.without.bottom} in the ${side}`)
    if (parts.every(({ top }) => top === 0)) return without(`${ratio.without.top} in the ${side}`)
  }
  const turned = (parts: readonly Part[]): number[] => logRatioValues(parts).map((x) => -x)
  const difference = pairedDifference(turned(before), turned(after), level)
  return { ...both, difference, reason: null, noise: null }
}

function ratioAlone(ratio: Ratio, cases: readonly CaseReport[], { level }: Setting): Metric {
  const used = cases.filter(ratio.usable)
  const n = used.length
  if (n < cases.length || n === 0) return { value: null, n, reason: ratio.without.cases }
  const parts = used.map(ratio.part)
  const value = ratioOf(parts)
  if (value === null) return { value, infinite: true, n, reason: ratio.without.bottom }
  if (value === 0) return { value, n, reason: ratio.without.top }
  const logs = logRatioValues(parts)
  const { interval } = pairedDifference(
    logs.map(() => 0),
    logs,
    level,
  )
  if (interval === null) return { value, n, reason: 'all cases agree: no spread was seen' }
  const [low, high] = [Math.exp(interval.low), Math.exp(interval.high)]
  return { value, n, interval: { ...interval, low, high } }
}

// ── The list ─────────────────────────────────────────────────────────────────────────────────────────

const NO_CASE = 'no case has scored trials on both sides'

const nothing = (reason: string): Measured => ({
  baseline: null,
  current: null,
  difference: null,
  reason,
  cases: 0,
  noise: null,
})

const usableCases = (points: Points, cases: readonly CaseReport[], k: number): CaseReport[] =>
  cases.filter((one) => points.usable(one, k))

const inPoints = (name: MetricName, points: Points, kOf: (k: number) => number): Measure => ({
  name,
  scale: 'points',
  margin: 0.05,
  compare: (pairs, setting) => comparePoints(points, pairs, { ...setting, k: kOf(setting.k) }),
  alone: (cases, { k, level }) =>
    points.estimate(usableCases(points, cases, kOf(k)), kOf(k), level),
})

const asRatio = (name: MetricName, ratio: Ratio): Measure => ({
  name,
  scale: 'ratio',
  margin: 0.1,
  compare: (pairs, setting) => compareRatio(ratio, pairs, setting),
  alone: (cases, setting) =>
    ratioAlone(
      ratio,
      cases.filter(({ n }) => n > 0),
      setting,
    ),
})

const MEASURES: Readonly<Record<MetricName, Measure>> = {
  meanScore: inPoints('meanScore', scores, () => 1),
  passRate: inPoints('passRate', rates, () => 1),
  passHatK: inPoints('passHatK', rates, (k) => k),
  costOfPass: asRatio('costOfPass', costs),
  latency: asRatio('latency', latencies),
}

export const measureOf = (name: MetricName): Measure => MEASURES[name]
