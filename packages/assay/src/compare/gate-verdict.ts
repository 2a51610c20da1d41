/**
 * Gives a verdict on each measure: regression, improvement, no regression beyond the margin, or inconclusive,
 * with what would settle it. Several verdicts shown together mean several chances of a false alarm. The
 * p-values of one family are therefore adjusted by Holm, and a verdict whose adjusted p is above alpha is
 * withdrawn. "No regression beyond the margin" needs no adjustment: it is claimed for all measures together
 * only if it holds for each.
 */
import {
  adjustP,
  fsum,
  gateVerdict,
  type Interval,
  type PairedDifference,
  type Target,
  type Verdict,
} from '@assay/metrics'
import type { CasePair } from './match-cases.ts'
import { measureOf, type Measured, type Setting } from './measures.ts'
import type { MetricName } from './names.ts'

export interface NeededMore {
  /** Additional trials of each subject on each of these cases; null if more trials alone cannot settle it. */
  readonly trialsPerCase: number | null
  /** Alternatively, the number of additional cases like these; null if no number would be enough. */
  readonly cases: number | null
  /**
   * What that takes on both sides together: with more trials per case or, if that is impossible, with more
   * cases. Null if unknown.
   */
  readonly trials: number | null
  readonly usd: number | null
}

export interface ShownInterval {
  readonly low: number
  readonly high: number | null
  readonly level: number
  readonly method: string
  readonly target: Target
}

export interface MetricChange {
  readonly metric: MetricName
  /** The k of pass^k; null for the other measures. */
  readonly k: number | null
  /** The scale of `change`, its interval and the margin: in points, or relative to the baseline. */
  readonly scale: 'points' | 'ratio'
  readonly baseline: number | null
  readonly current: number | null
  readonly change: number | null
  readonly interval: ShownInterval | null
  readonly margin: number
  /** Two-sided p-value of the hypothesis "no change". */
  readonly p: number | null
  readonly adjustedP: number | null
  readonly cases: number
  readonly verdict: Verdict
  readonly reason: string
  readonly needed: NeededMore | null
}

export interface Question {
  readonly metric: MetricName
  /** Null for the measure's default margin. */
  readonly margin: number | null
  readonly pairs: readonly CasePair[]
}

/** Returns the verdicts of one family, in the order of the questions. */
export function judge(questions: readonly Question[], setting: Setting): readonly MetricChange[] {
  const measured = questions.map(({ metric, pairs }) => measureOf(metric).compare(pairs, setting))
  const raw = questions.map((question, i) => pOf(question, measured[i] as Measured, setting))
  const tested = raw.filter((p) => p !== null)
  const adjusted = adjustP(tested, 'holm')
  let next = 0
  return questions.map((question, i) => {
    const p = raw[i] ?? null
    const adjustedP = p === null ? null : (adjusted[next++] as number)
    const tests = { p, adjustedP, family: tested.length }
    return changeOf(question, measured[i] as Measured, tests, setting)
  })
}

interface Tests {
  readonly p: number | null
  readonly adjustedP: number | null
  /** Number of p-values adjusted together. */
  readonly family: number
}

/** Returns the verdict on a single measure, without adjustment. */
export function verdictOn(question: Question, setting: Setting): Verdict {
  const measured = measureOf(question.metric).compare(question.pairs, setting)
  return verdictOf(question, measured)?.verdict ?? 'inconclusive'
}

/**
 * Returns the verdict; null without a difference. Ratios are compared as logarithms, so their margin is
 * converted to one.
 */
function verdictOf(
  { metric, margin }: Question,
  { difference, noise }: Measured,
): ReturnType<typeof gateVerdict> | null {
  if (difference === null) return null
  const measure = measureOf(metric)
  const wanted = margin ?? measure.margin
  const given = gateVerdict(
    difference,
    measure.scale === 'ratio' ? Math.log1p(wanted) : wanted,
    noise ?? undefined,
  )
  return given.verdict === 'inconclusive' && isIdentical(difference)
    ? { ...given, verdict: 'noRegression', reason: IDENTICAL, needed: null }
    : given
}

const IDENTICAL = 'every case has the same value on both sides'
const FEWEST_IDENTICAL = 5

/**
 * True if all cases have the same value on both sides. For values without bounds, cases that all agree give
 * no interval. But if no case moved at all, nothing can have become worse.
 */
const isIdentical = ({ difference, se, interval, units }: PairedDifference): boolean =>
  interval === null && se === 0 && difference === 0 && units >= FEWEST_IDENTICAL

function changeOf(
  question: Question,
  measured: Measured,
  { p, adjustedP, family }: Tests,
  { level, k }: Setting,
): MetricChange {
  const { metric } = question
  const measure = measureOf(metric)
  const { difference, cases, baseline, current } = measured
  const common = {
    metric,
    k: metric === 'passHatK' ? k : null,
    scale: measure.scale,
    baseline,
    current,
    margin: question.margin ?? measure.margin,
    p,
    adjustedP,
    cases,
  }
  const given = verdictOf(question, measured)
  if (given === null || difference === null)
    return {
      ...common,
      change: null,
      interval: null,
      verdict: 'inconclusive',
      reason: measured.reason ?? 'no figure',
      needed: null,
    }
  const { verdict, reason } = takenBack(given, family > 1 ? adjustedP : null, 1 - level)
  const ratio = measure.scale === 'ratio'
  return {
    ...common,
    change: ratio ? finite(Math.expm1(-difference.difference)) : difference.difference,
    interval: difference.interval === null ? null : shown(difference.interval, ratio),
    verdict,
    reason,
    needed:
      verdict === 'inconclusive' && difference.interval !== null && given.needed !== null
        ? priced(given.needed, question.pairs)
        : null,
  }
}

const finite = (x: number): number | null => (Number.isFinite(x) ? x : null)

/** Converts an interval back to the scale that people read, on which a higher cost is positive. */
function shown({ low, high, level, method, target }: Interval, ratio: boolean): ShownInterval {
  if (!ratio) return { low, high, level, method, target }
  return { low: Math.expm1(-high), high: finite(Math.expm1(-low)), level, method, target }
}

function takenBack(
  { verdict, reason }: { verdict: Verdict; reason: string },
  adjustedP: number | null,
  alpha: number,
): { verdict: Verdict; reason: string } {
  if (adjustedP === null || adjustedP <= alpha) return { verdict, reason }
  const why = 'not significant once all verdicts shown together are counted (Holm)'
  if (verdict === 'regression') return { verdict: 'inconclusive', reason: why }
  if (verdict === 'improvement') return { verdict: 'noRegression', reason: why }
  return { verdict, reason }
}

// ── p-values ─────────────────────────────────────────────────────────────────────────────────────────

function pOf(
  { metric, pairs }: Question,
  { difference }: Measured,
  setting: Setting,
): number | null {
  if (difference === null) return null
  if (difference.p !== null || difference.interval === null) return difference.p
  return pByInversion(0, (level) => {
    const { difference: at } = measureOf(metric).compare(pairs, { ...setting, level })
    return at?.interval ?? null
  })
}

const LEAST_P = 1e-9
/** Tolerance on the logarithm of p. */
const NEAR_ENOUGH = 1e-7
const MOST_STEPS = 60

/**
 * Returns the p-value of the hypothesis "the true value is `value`" by inverting the interval: it is the
 * alpha at which the value lies on a bound of the interval. Intervals of a higher level contain those of a
 * lower one, so there is exactly one such alpha. It is found on the logarithmic scale by false position
 * (Illinois variant), because each interval costs a pass over all cases.
 */
export function pByInversion(
  value: number,
  intervalAt: (level: number) => { readonly low: number; readonly high: number } | null,
): number | null {
  /** How far the value is outside the interval; increases with alpha. */
  const outside = (log: number): number => {
    const interval = intervalAt(1 - Math.exp(log))
    return interval === null ? Number.NaN : Math.max(interval.low - value, value - interval.high)
  }
  let [low, high] = [Math.log(LEAST_P), Math.log1p(-LEAST_P)]
  let [atLow, atHigh] = [outside(low), outside(high)]
  if (Number.isNaN(atLow) || Number.isNaN(atHigh)) return null
  if (atHigh <= 0) return 1
  if (atLow > 0) return LEAST_P
  for (let step = 0, side = 0; step < MOST_STEPS && high - low > NEAR_ENOUGH; step++) {
    const next = (low * atHigh - high * atLow) / (atHigh - atLow)
    const at = outside(next)
    if (Math.abs(at) < 1e-12) return Math.exp(next)
    if (at > 0) {
      ;[high, atHigh] = [next, at]
      if (side === 1) atLow /= 2
      side = 1
    } else {
      ;[low, atLow] = [next, at]
      if (side === -1) atHigh /= 2
      side = -1
    }
  }
  return Math.exp(high)
}

// ── What more would cost ─────────────────────────────────────────────────────────────────────────────

function priced(
  needed: { readonly cases: number | null; readonly trialsPerCase: number | null },
  pairs: readonly CasePair[],
): NeededMore {
  const { cases, trialsPerCase } = needed
  const rounds = fsum(pairs.map(({ a, b }) => a.n + b.n)) / pairs.length
  const trials =
    trialsPerCase !== null
      ? 2 * trialsPerCase * pairs.length
      : cases === null
        ? null
        : Math.ceil(cases * rounds)
  const each = meanCost(pairs)
  return {
    cases,
    trialsPerCase,
    trials,
    usd: trials === null || each === null ? null : trials * each,
  }
}

/** Mean cost of one trial, with both sides weighted equally; null if a price is unknown or all costs are 0. */
function meanCost(pairs: readonly CasePair[]): number | null {
  const all = pairs.flatMap(({ a, b }) => [a, b])
  if (all.some(({ n, sums }) => n === 0 || sums.costs < n)) return null
  const each = fsum(all.map(({ n, sums }) => sums.costUsd / n)) / all.length
  return each > 0 ? each : null
}
