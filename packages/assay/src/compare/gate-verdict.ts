/**
 * Gives a verdict on each measure: regression, improvement, no regression beyond the margin, or inconclusive. An
 * inconclusive verdict comes with the number of trials or cases that would decide it.
 *
 * Each verdict that is shown is another chance of a false alarm. The verdicts that are shown together form one family.
 * They are decided by simultaneous intervals: each interval has the level 1 − alpha / family (Bonferroni). A
 * regression or an improvement is withdrawn if its simultaneous interval does not exclude zero. "No regression beyond
 * the margin" needs no adjustment, because it is claimed for all measures together only if it is true for each of them.
 */
import {
  fsum,
  gateVerdict,
  type GateVerdict,
  intervalP,
  type Interval,
  type PairedDifference,
  type Target,
  type Verdict,
} from '@assay/metrics'
import type { CasePair } from './match-cases.ts'
import { measureOf, type Measured, type Setting } from './measures.ts'
import type { MetricName } from './names.ts'

export interface NeededMore {
  /**
   * How many more trials each subject needs on each of these cases. Null if more trials alone cannot decide the
   * verdict.
   */
  readonly trialsPerCase: number | null
  /** How many more cases like these would be needed instead. Null if no number of cases would be enough. */
  readonly cases: number | null
  /** The number of new groups that these cases must form. Absent if there are no groups. */
  readonly groups?: number
  /**
   * How many more trials this takes in total, for both sides together. They are more trials per case or, if that is
   * impossible, the trials of more cases. Null if unknown.
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

export interface SimultaneousInterval {
  readonly low: number
  readonly high: number | null
  /** The probability with which all intervals of the family contain the true values at the same time. */
  readonly level: number
  /** The number of comparisons in the family. The interval is widened for this number. */
  readonly comparisons: number
}

export interface MetricChange {
  readonly metric: MetricName
  /** The k of pass^k. Null for all other measures. */
  readonly k: number | null
  /** The unit of `change`, of its interval and of the margin: points, or a ratio to the baseline. */
  readonly scale: 'points' | 'ratio'
  readonly baseline: number | null
  readonly current: number | null
  readonly change: number | null
  readonly interval: ShownInterval | null
  readonly margin: number
  /** The two-sided p-value of the hypothesis "no change". */
  readonly p: number | null
  readonly adjustedP: number | null
  /**
   * The simultaneous interval, which is wider than `interval`. The verdicts that are shown together are a family. All
   * simultaneous intervals of a family contain their true values at the same time, with the probability that is the
   * level of `interval`. Null if the family has only this verdict, or if there is no interval.
   */
  readonly together: SimultaneousInterval | null
  readonly cases: number
  readonly verdict: Verdict
  readonly reason: string
  readonly needed: NeededMore | null
}

export interface Question {
  readonly metric: MetricName
  /** The margin. Null for the measure's default margin. */
  readonly margin: number | null
  readonly pairs: readonly CasePair[]
}

/**
 * Returns the verdicts of one family of questions, in the order of the questions. They are adjusted together, because
 * each further question is another chance of a false alarm.
 */
export function judge(questions: readonly Question[], setting: Setting): readonly MetricChange[] {
  const measured = questions.map(({ metric, pairs }) => measureOf(metric).compare(pairs, setting))
  const raw = questions.map((question, i) => pOf(question, measured[i] as Measured, setting))
  const family = raw.filter((p) => p !== null).length
  return questions.map((question, i) => {
    const p = raw[i] ?? null
    const adjustedP = p === null ? null : Math.min(1, p * family)
    return changeOf(question, measured[i] as Measured, { p, adjustedP, family }, setting)
  })
}

interface Tests {
  readonly p: number | null
  readonly adjustedP: number | null
  /** The number of verdicts that are adjusted together. */
  readonly family: number
}

/** Returns the verdict on a single measure, not adjusted for other verdicts. */
export function verdictOn(question: Question, setting: Setting): Verdict {
  const measured = measureOf(question.metric).compare(question.pairs, setting)
  return verdictOf(question, measured)?.verdict ?? 'inconclusive'
}

/**
 * Decides whether the measured difference is a regression. Null if there is no difference. Ratios are compared as
 * logarithms, so their margin is converted to a logarithm too.
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
 * Whether every case has the same value on both sides. For a measure without an upper bound there is no interval if all
 * cases changed by the same amount. But if that amount is 0, the measure cannot have become worse.
 */
const isIdentical = ({ difference, se, interval, units }: PairedDifference): boolean =>
  interval === null && se === 0 && difference === 0 && units >= FEWEST_IDENTICAL

function changeOf(
  question: Question,
  measured: Measured,
  { p, adjustedP, family }: Tests,
  setting: Setting,
): MetricChange {
  const { level, k } = setting
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
      together: null,
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
    together: togetherOf(question, family, setting),
    verdict,
    reason,
    needed:
      verdict === 'inconclusive' ? neededOf(question, measured, given, family, setting) : null,
  }
}

/**
 * Returns what would decide a verdict. If a verdict is undecided only because other verdicts are shown with it, the
 * calculation uses the level of its simultaneous interval.
 */
function neededOf(
  question: Question,
  measured: Measured,
  given: GateVerdict,
  family: number,
  setting: Setting,
): NeededMore | null {
  if (given.interval === null && given.reason.startsWith('all cases agree')) return null
  const groups = measured.difference === null ? null : groupsPerCase(measured.difference)
  if (given.needed !== null) return priced(given.needed, question.pairs, groups)
  const level = 1 - (1 - setting.level) / family
  const strict = measureOf(question.metric).compare(question.pairs, { ...setting, level })
  const needed = verdictOf(question, strict)?.needed ?? null
  return needed === null ? null : priced(needed, question.pairs, groups)
}

/** Returns the number of groups per case. Null if there are no groups. */
const groupsPerCase = ({ units, n }: PairedDifference): number | null =>
  units < n ? units / n : null

const finite = (x: number): number | null => (Number.isFinite(x) ? x : null)

/**
 * Converts an interval of logarithms of a ratio to relative changes (0.1 means 10 % more), which people understand more
 * easily. In the result, a positive value means a higher cost or a longer time.
 */
function shown({ low, high, level, method, target }: Interval, ratio: boolean): ShownInterval {
  if (!ratio) return { low, high, level, method, target }
  return { low: Math.expm1(-high), high: finite(Math.expm1(-low)), level, method, target }
}

/** Returns the interval of a measure at the level at which all verdicts of its family hold at once. */
function togetherOf(
  { metric, pairs }: Question,
  family: number,
  setting: Setting,
): SimultaneousInterval | null {
  if (family < 2) return null
  const measure = measureOf(metric)
  const level = 1 - (1 - setting.level) / family
  const interval = measure.compare(pairs, { ...setting, level }).difference?.interval ?? null
  if (interval === null) return null
  const { low, high } = shown(interval, measure.scale === 'ratio')
  return { low, high, level: setting.level, comparisons: family }
}

/**
 * The reason if a regression or an improvement is withdrawn: alone it is significant, but not after the correction for
 * all verdicts that are shown together.
 */
export const COUNTED = 'not significant once all verdicts shown together are counted'

function takenBack(
  { verdict, reason }: { verdict: Verdict; reason: string },
  adjustedP: number | null,
  alpha: number,
): { verdict: Verdict; reason: string } {
  if (adjustedP === null || adjustedP < alpha) return { verdict, reason }
  const why = COUNTED
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
  const intervalAt = (level: number): Interval | null =>
    measureOf(metric).compare(pairs, { ...setting, level }).difference?.interval ?? null
  return intervalP(0, intervalAt, setting.level)
}

// ── The cost of more trials ──────────────────────────────────────────────────────────────────────────

function priced(
  needed: { readonly cases: number | null; readonly trialsPerCase: number | null },
  pairs: readonly CasePair[],
  perCase: number | null,
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
    // A tiny amount is subtracted before rounding up. Otherwise a rounding error could add one group too many.
    ...(cases === null || perCase === null ? {} : { groups: Math.ceil(cases * perCase - 1e-9) }),
    trials,
    usd: trials === null || each === null ? null : trials * each,
  }
}

/**
 * Returns the mean cost of one trial, with both sides weighted equally. Null if a price is unknown, or if all costs are
 * 0.
 */
function meanCost(pairs: readonly CasePair[]): number | null {
  const all = pairs.flatMap(({ a, b }) => [a, b])
  if (all.some(({ n, sums }) => n === 0 || sums.costs < n)) return null
  const each = fsum(all.map(({ n, sums }) => sums.costUsd / n)) / all.length
  return each > 0 ? each : null
}
