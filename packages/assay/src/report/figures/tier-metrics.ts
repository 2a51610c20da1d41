/**
 * Compares tiers on one metric with sound statistics. It computes each tier's mean and its difference from the
 * baseline, with two intervals: for exactly these cases, and for cases like these. It tests whether the tiers differ at
 * all. It also tests all pairs of tiers, adjusted for the number of pairs.
 *
 * If tiers ran the same cases, differences are paired by case, and tests of passes are stratified by case. With several
 * cases, scores are compared by the means of the cases. With a single case there is only one mean per tier, so the
 * trials of the case are compared, which are independent of each other. Tiers that share few cases are compared as
 * independent groups.
 */
import {
  adjustP,
  cliffsDelta,
  DEFAULT_LEVEL,
  exactStratifiedTest,
  fsum,
  mannWhitneyU,
  mean,
  pairedDifference,
  stratifiedHomogeneityTest,
  stratifiedMeanTest,
  stratifiedPermutationTest,
  upliftRatio,
  type CaseScores,
  type Metric,
  type Target,
} from '@assay/metrics'
import {
  independentDifference,
  independentIntervals,
  reportedBetween,
  type Sample,
} from './independent/independent-difference.ts'
import { overlapOf, type Overlap } from './independent/overlap.ts'
import {
  estimateOf,
  pairDifference,
  pairIntervals,
  reportedDifference,
  type ValueKind,
} from './pair-difference.ts'
import type { ReportMetric, TierMetric } from '../schema/report.ts'
import { reported } from '../schema/to-metric.ts'

/** The values of a metric for one tier: sums per case, and the values of single trials on request. */
export interface TierValues {
  readonly subject: string
  /**
   * The cases in the order of the suite. They are the same for every tier. `n` is 0 if no trial of the case was scored.
   */
  readonly cases: readonly CaseScores[]
  /** The group of each case. Undefined if no two cases share one. */
  readonly groups?: readonly string[] | undefined
  readonly trialsOf: (one: number) => readonly number[]
}

/**
 * The maximum number of tiers for which all pairs are compared. With more tiers there are too many pairs to read, so
 * each tier is compared only with the baseline.
 */
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
      population: reported(estimate(metric, cases, 'population', from.groups)),
      fixed: reported(estimate(metric, cases, 'fixed')),
    })),
    differences: tiers.map((tier, i) =>
      i === baseline ? null : difference(metric, from, tier, tiers.length - 1),
    ),
    omnibus: tiers.length < 2 ? null : omnibus(tiers),
    pairs: pairs(metric, tiers, baseline),
  }
}

const kindOf = (metric: TierMetric['metric']): ValueKind =>
  metric === 'passRate' ? 'passes' : 'scores'

const estimate = (
  metric: TierMetric['metric'],
  cases: readonly CaseScores[],
  target: Target,
  groups?: readonly string[],
  level: number = DEFAULT_LEVEL,
): Metric => {
  const names = groups?.filter((_, i) => (cases[i]?.n ?? 0) > 0)
  return estimateOf(
    kindOf(metric),
    cases.filter(({ n }) => n > 0),
    target,
    level,
    names,
  )
}

/** Returns how the scored cases of two tiers overlap. */
export const tierOverlap = (a: TierValues, b: TierValues): Overlap =>
  overlapOf(
    a.cases.map(({ n }) => n > 0),
    b.cases.map(({ n }) => n > 0),
  )

const sampleOf = (metric: TierMetric['metric'], tier: TierValues): Sample => ({
  kind: kindOf(metric),
  cases: tier.cases.filter(({ n }) => n > 0),
  groups: scoredGroups(tier),
})

interface Counts {
  readonly n: number
  readonly c: number
}

/** Converts sums to counts, for pass rates. A pass has the value 1, so the sum of a case is its number of passes. */
const ofCounts = ({ n, sum }: CaseScores): Counts => ({ n, c: sum })

const valueOf = ({ n, sum }: CaseScores): number => Math.min(1, Math.max(0, sum / n))

/** Returns the indexes of the cases that are scored in both tiers. */
const shared = (a: TierValues, b: TierValues): number[] =>
  a.cases.flatMap(({ n }, i) => (n > 0 && (b.cases[i]?.n ?? 0) > 0 ? [i] : []))

const at = (tier: TierValues, places: readonly number[]): CaseScores[] =>
  places.map((i) => tier.cases[i] as CaseScores)

const groupsAt = (tier: TierValues, places: readonly number[]): string[] | undefined => {
  const { groups } = tier
  return groups && places.map((i) => groups[i] as string)
}

type Difference = Exclude<TierMetric['differences'][number], null>

function difference(
  metric: TierMetric['metric'],
  a: TierValues,
  b: TierValues,
  comparisons: number,
): Difference {
  const compared = tierOverlap(a, b)
  if (compared.as === 'independent') return independent(metric, a, b, { compared, comparisons })
  const places = shared(a, b)
  if (places.length === 0) {
    const none: ReportMetric = { value: null, n: 0, reason: 'no case was scored in both' }
    return { population: none, fixed: none, together: null, relative: none, effect: null, compared }
  }
  const groups = groupsAt(a, places)
  const pair = { kind: kindOf(metric), before: at(a, places), after: at(b, places), groups }
  const { population, fixed } = pairDifference(pair)
  const [x, y] = valuesOf(a, b, places)
  const { delta, interval } = cliffsDelta(
    y,
    x,
    DEFAULT_LEVEL,
    groups === undefined || places.length === 1 ? undefined : { x: groups, y: groups },
  )
  return {
    population: reportedDifference(population),
    fixed: reportedDifference(fixed),
    together: togetherOf((level) => pairIntervals(pair, level), comparisons),
    relative: reported(
      upliftRatio(pair.before.map(valueOf), pair.after.map(valueOf), DEFAULT_LEVEL, groups),
    ),
    effect: { delta, ...interval, over: places.length === 1 ? 'trials' : 'cases' },
    compared,
  }
}

/** Computes the difference between two tiers that share few cases. */
function independent(
  metric: TierMetric['metric'],
  a: TierValues,
  b: TierValues,
  { compared, comparisons }: { readonly compared: Overlap; readonly comparisons: number },
): Difference {
  const [from, to] = [sampleOf(metric, a), sampleOf(metric, b)]
  const { population, fixed } = independentDifference(from, to)
  const [x, y] = [scoredGroups(a), scoredGroups(b)]
  const { delta, interval } = cliffsDelta(
    caseMeans(b),
    caseMeans(a),
    DEFAULT_LEVEL,
    x === undefined || y === undefined ? undefined : { x: y, y: x },
  )
  return {
    population: reportedBetween(population),
    fixed: reportedBetween(fixed),
    together: togetherOf((level) => independentIntervals(from, to, level), comparisons),
    relative: { value: null, n: 0, reason: 'few cases were scored in both' },
    effect: { delta, ...interval, over: 'cases' },
    compared,
  }
}

const caseMeans = ({ cases }: TierValues): number[] => cases.filter(({ n }) => n > 0).map(valueOf)

const scoredGroups = ({ cases, groups }: TierValues): string[] | undefined =>
  groups?.filter((_, i) => (cases[i]?.n ?? 0) > 0)

/**
 * Returns values that are independent of each other: the means of the cases or, if there are groups, the means of the
 * groups.
 */
function unitMeans(tier: TierValues): number[] {
  const means = caseMeans(tier)
  const groups = scoredGroups(tier)
  if (groups === undefined) return means
  const byGroup = Map.groupBy(means.keys(), (i) => groups[i])
  return [...byGroup.values()].map((places) => mean(places.map((i) => means[i] as number)))
}

/**
 * Returns the decision that takes all tiers into account. Each interval has the level 1 − alpha / comparisons
 * (Bonferroni). So with a probability of 95 %, all intervals contain the true differences at the same time.
 */
function togetherOf(
  intervalsAt: (level: number) => ReturnType<typeof pairIntervals>,
  comparisons: number,
): Difference['together'] {
  const intervals = intervalsAt(1 - (1 - DEFAULT_LEVEL) / comparisons)
  const interval = intervals.population ?? intervals.fixed
  if (interval === null) return null
  const { low, high, target } = interval
  const decision = low > 0 ? 'better' : high < 0 ? 'worse' : 'not decided'
  return { low, high, level: DEFAULT_LEVEL, comparisons, target, decision }
}

/** Returns the values for rank tests: the means of the cases. If there is only one case, the values of its trials. */
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

/** The seed of the permutations. It is fixed, so that the same log always gives the same p-value. */
const SEED = 1

/**
 * The maximum number of trials for which the p-value is computed by permutations. With more trials, the chi-square
 * distribution is accurate enough.
 */
const MOST_PERMUTED = 200

/**
 * Tests whether the tiers differ at all (omnibus test). A case counts if at least two tiers have scored trials on it
 * and not all its scores are the same.
 */
function omnibus(tiers: readonly TierValues[]): Exclude<TierMetric['omnibus'], null> {
  if (areIndependent(tiers)) return independentOmnibus(tiers.map(unitMeans))
  const places = (tiers[0]?.cases ?? []).map((_, i) => i)
  const strata = places.map((i) => tiers.map(({ cases }) => cases[i] as CaseScores))
  const comparable = places.filter(
    (i) => tiers.filter(({ cases }) => (cases[i]?.n ?? 0) > 0).length >= 2,
  )
  const trials = comparable.reduce(
    (total, i) => total + (strata[i] as readonly CaseScores[]).reduce((sum, { n }) => sum + n, 0),
    0,
  )
  const isSmall = trials <= MOST_PERMUTED
  const { statistic, df, p, informative } = isSmall
    ? stratifiedPermutationTest(
        places.map((i) => tiers.map(({ trialsOf }) => trialsOf(i))),
        SEED,
      )
    : stratifiedMeanTest(strata)
  return {
    test: `generalised Cochran-Mantel-Haenszel, by case${isSmall ? ', p by permutation' : ''}`,
    statistic,
    df,
    p,
    shared: comparable.length,
    informative,
  }
}

/**
 * Tests whether tiers with different cases differ at all. All cases form one stratum, because the tiers cannot be
 * compared case by case.
 */
function independentOmnibus(
  groups: readonly (readonly number[])[],
): Exclude<TierMetric['omnibus'], null> {
  const isSmall = groups.reduce((sum, { length }) => sum + length, 0) <= MOST_PERMUTED
  const sums = groups.map((values) => ({
    n: values.length,
    sum: fsum(values),
    sumSq: fsum(values.map((value) => value * value)),
  }))
  const { statistic, df, p } = isSmall
    ? stratifiedPermutationTest([groups], SEED)
    : stratifiedMeanTest([sums])
  const name = 'generalised Cochran-Mantel-Haenszel over cases, tiers as independent groups'
  return { test: `${name}${isSmall ? ', p by permutation' : ''}`, statistic, df, p }
}

/** Whether most pairs of tiers share few cases. */
function areIndependent(tiers: readonly TierValues[]): boolean {
  const kinds = tiers.flatMap((b, j) => tiers.slice(0, j).map((a) => tierOverlap(a, b).as))
  return kinds.filter((kind) => kind === 'independent').length * 2 > kinds.length
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
  if (tierOverlap(a, b).as === 'independent')
    return {
      test: 'independent groups, from the interval',
      p: independentDifference(sampleOf(metric, a), sampleOf(metric, b)).population.p,
    }
  const places = shared(a, b)
  if (metric === 'passRate') return passesTest(a, b, places)
  if (places.length === 1) {
    const [x, y] = valuesOf(a, b, places)
    return { test: 'Mann-Whitney over trials', p: mannWhitneyU(x, y).p }
  }
  const groups = groupsAt(a, places)
  const isGrouped = groups !== undefined && new Set(groups).size < groups.length
  const name = `paired t over ${isGrouped ? 'groups' : 'cases'}, widened for skewness`
  if (places.length === 0) return { test: name, p: null }
  const [from, to] = [at(a, places).map(valueOf), at(b, places).map(valueOf)]
  return { test: name, p: pairedDifference(from, to, DEFAULT_LEVEL, groups).p }
}

/**
 * The maximum number of trials of a pair for the exact test. With more trials, it takes too long, and the approximation
 * gives the same result.
 */
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
