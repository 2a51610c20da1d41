/**
 * Compares tiers on one metric with sound statistics: each tier's mean and its difference from the baseline,
 * with intervals for both targets; a test of whether the tiers differ at all; and tests of all pairs,
 * adjusted for the number of pairs.
 *
 * All tiers ran the same cases, so differences are paired by case, and tests of passes are stratified by
 * case. A single case says nothing about other cases: then its trials are compared, which are independent
 * given the case. With several cases, scores are compared by the means of the cases.
 */
import {
  adjustP,
  cliffsDelta,
  DEFAULT_LEVEL,
  exactStratifiedTest,
  kruskalWallis,
  mannWhitneyU,
  mean,
  meanScoreEstimate,
  pairedDifference,
  passRateEstimate,
  stratifiedHomogeneityTest,
  upliftRatio,
  type CaseScores,
  type Metric,
  type PairedDifference,
  type Target,
} from '@assay/metrics'
import { fixedDifference } from './fixed-difference.ts'
import type { ReportMetric, TierMetric } from '../schema/report.ts'
import { reported } from '../schema/to-metric.ts'

/** One tier's values of a metric: sums per case, and the values of single trials on request. */
export interface TierValues {
  readonly subject: string
  /** In the suite's order, with the same cases for every tier; `n` is 0 if no trial of the case was scored. */
  readonly cases: readonly CaseScores[]
  readonly trialsOf: (one: number) => readonly number[]
}

/** With more tiers than this there are too many pairs to read: each tier is compared with the baseline only. */
const MOST_PAIRED = 10

export function tierMetric(
  metric: TierMetric['metric'],
  tiers: readonly TierValues[],
  baseline: number,
): TierMetric {
  const from = tiers[baseline] as TierValues
  return {
    metric,
    means: tiers.map(({ cases }) => ({
      population: reported(estimate(metric, cases, 'population')),
      fixed: reported(estimate(metric, cases, 'fixed')),
    })),
    differences: tiers.map((tier, i) => (i === baseline ? null : difference(metric, from, tier))),
    omnibus: tiers.length < 2 ? null : omnibus(metric, tiers),
    pairs: pairs(metric, tiers, baseline),
  }
}

function estimate(
  metric: TierMetric['metric'],
  cases: readonly CaseScores[],
  target: Target,
): Metric {
  const used = cases.filter(({ n }) => n > 0)
  return metric === 'passRate'
    ? passRateEstimate(used.map(ofCounts), target)
    : meanScoreEstimate(used, target)
}

interface Counts {
  readonly n: number
  readonly c: number
}

/** A pass counts as 1, so the sum of a case is its number of passes. */
const ofCounts = ({ n, sum }: CaseScores): Counts => ({ n, c: sum })

const valueOf = ({ n, sum }: CaseScores): number => Math.min(1, Math.max(0, sum / n))

/** Returns the indexes of the cases that are scored in both tiers. */
const shared = (a: TierValues, b: TierValues): number[] =>
  a.cases.flatMap(({ n }, i) => (n > 0 && (b.cases[i]?.n ?? 0) > 0 ? [i] : []))

const at = (tier: TierValues, places: readonly number[]): CaseScores[] =>
  places.map((i) => tier.cases[i] as CaseScores)

type Difference = Exclude<TierMetric['differences'][number], null>

function difference(metric: TierMetric['metric'], a: TierValues, b: TierValues): Difference {
  const places = shared(a, b)
  if (places.length === 0) {
    const none: ReportMetric = { value: null, n: 0, reason: 'no case was scored in both' }
    return { population: none, fixed: none, relative: none, effect: null }
  }
  const [before, after] = [at(a, places), at(b, places)]
  const [from, to] = [before.map(valueOf), after.map(valueOf)]
  const paired = pairedDifference(from, to)
  const [x, y] = valuesOf(a, b, places)
  const { delta, interval } = cliffsDelta(y, x)
  return {
    population: ofDifference(paired, 'population'),
    fixed: ofDifference(onTheseCases(metric, before, after, paired), 'fixed'),
    relative: reported(upliftRatio(from, to)),
    effect: { delta, ...interval, over: places.length === 1 ? 'trials' : 'cases' },
  }
}

/**
 * The difference for exactly these cases. A single trial does not show how much a case varies. If any case
 * has only one, the paired difference is used instead: the spread between cases also covers this target.
 */
function onTheseCases(
  metric: TierMetric['metric'],
  before: readonly CaseScores[],
  after: readonly CaseScores[],
  paired: PairedDifference,
): PairedDifference {
  const all = [...before, ...after]
  if (all.some(({ n }) => n < 2)) return paired
  const trials = Math.round(before.length / mean(all.map(({ n }) => 1 / n)))
  return fixedDifference(estimate(metric, before, 'fixed'), estimate(metric, after, 'fixed'), {
    cases: before.length,
    trials,
    level: DEFAULT_LEVEL,
  })
}

function ofDifference(
  { difference: value, n, interval }: PairedDifference,
  target: Target,
): ReportMetric {
  if (interval !== null) {
    // Two means in [0, 1] differ by at most 1, but a t interval over few cases can be wider.
    const [low, high] = [Math.max(-1, interval.low), Math.min(1, interval.high)]
    return reported({ value, n, interval: { ...interval, low, high, target } })
  }
  return {
    value,
    n,
    reason: n === 1 ? 'one case says nothing about others' : 'all cases agree: no spread was seen',
  }
}

/** Returns the values for rank tests: with a single case its trials, otherwise the means of the cases. */
function valuesOf(
  a: TierValues,
  b: TierValues,
  places: readonly number[],
): readonly [readonly number[], readonly number[]] {
  const [only] = places
  return places.length === 1 && only !== undefined
    ? [a.trialsOf(only), b.trialsOf(only)]
    : [at(a, places).map(valueOf), at(b, places).map(valueOf)]
}

// ── Tests ────────────────────────────────────────────────────────────────────────────────────────────

function omnibus(
  metric: TierMetric['metric'],
  tiers: readonly TierValues[],
): TierMetric['omnibus'] {
  const [first] = tiers
  if (metric === 'passRate') {
    const strata = (first?.cases ?? []).map((_, i) =>
      tiers.map(({ cases }) => ofCounts(cases[i] as CaseScores)),
    )
    const { statistic, df, p } = stratifiedHomogeneityTest(strata)
    return { test: 'generalised Cochran-Mantel-Haenszel, by case', statistic, df, p }
  }
  const places = (first?.cases ?? []).flatMap((_, i) =>
    tiers.every(({ cases }) => (cases[i]?.n ?? 0) > 0) ? [i] : [],
  )
  if (places.length === 0) return null
  const groups = tiers.map((tier) => valuesOf(tier, tier, places)[0])
  const { h, df, p } = kruskalWallis(groups)
  const over = places.length === 1 ? 'trials' : 'cases’ means'
  return { test: `Kruskal-Wallis over ${over}`, statistic: h, df, p }
}

function pairs(
  metric: TierMetric['metric'],
  tiers: readonly TierValues[],
  baseline: number,
): TierMetric['pairs'] {
  const tested = tiers.flatMap((b, j) =>
    tiers
      .slice(0, j)
      .flatMap((a, i) =>
        tiers.length <= MOST_PAIRED || i === baseline || j === baseline ? [[a, b] as const] : [],
      ),
  )
  const results = tested.map(([a, b]) => ({ a: a.subject, b: b.subject, ...test(metric, a, b) }))
  const known = results.flatMap(({ p }) => (p === null ? [] : [p]))
  const adjusted = adjustP(known, 'holm')
  let next = 0
  return results.map((one) => ({
    ...one,
    adjusted: one.p === null ? null : (adjusted[next++] ?? null),
  }))
}

function test(
  metric: TierMetric['metric'],
  a: TierValues,
  b: TierValues,
): { test: string; p: number | null } {
  const places = shared(a, b)
  if (metric === 'passRate') return passesTest(a, b, places)
  if (places.length === 1) {
    const [x, y] = valuesOf(a, b, places)
    return { test: 'Mann-Whitney over trials', p: mannWhitneyU(x, y).p }
  }
  const name = 'paired t over cases'
  if (places.length === 0) return { test: name, p: null }
  return {
    test: name,
    p: pairedDifference(at(a, places).map(valueOf), at(b, places).map(valueOf)).p,
  }
}

/** If a pair has more trials than this, the exact test takes long and gives the same result. */
const MOST_EXACT = 20_000

function passesTest(
  a: TierValues,
  b: TierValues,
  places: readonly number[],
): { test: string; p: number | null } {
  const name = 'exact, stratified by case'
  if (places.length === 0) return { test: name, p: null }
  const counts = places.map((i) => [a, b].map(({ cases }) => ofCounts(cases[i] as CaseScores))) as [
    Counts,
    Counts,
  ][]
  if (counts.reduce((sum, [x, y]) => sum + x.n + y.n, 0) > MOST_EXACT)
    return { test: 'Mantel-Haenszel, by case', p: stratifiedHomogeneityTest(counts).p }
  const strata = counts.map(([x, y]) => ({ nA: x.n, cA: x.c, nB: y.n, cB: y.c }))
  return { test: name, p: exactStratifiedTest(strata).p }
}
