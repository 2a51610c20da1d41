/**
 * Tiers: setups in an order, the first being the baseline. One tier's block of statistics, and what the
 * tiers say side by side, as the tiered-experiment document defines them.
 *
 * A median of 0/1 values is 0, 0.5 or 1, so grade and uplift from medians are coarse: a setup that
 * passes 60 % of the time shows a median pass rate of 1 in 64 % of ten-run tiers. The means are in the
 * same block, and intervals come from `passRateEstimate` and `pairedDifference`.
 */
import { checkInteger, checkLength, checkNumber } from '../../domain.ts'
import { mean } from '../../fsum.ts'
import { COMPOSITE_WEIGHTS, compositeScore, type CompositeWeights } from './composite-score.ts'
import { costOfPass } from './cost.ts'
import { describe, populationVariance, type Statistics } from '../describe.ts'
import { GRADE_SCALE, letterGrade, type GradeScale } from './letter-grade.ts'

export interface TierRun {
  readonly passed: boolean
  /** The judge's weighted score; null where no judge graded the run. */
  readonly implRate: number | null
  readonly costUsd: number | null
  readonly durationSeconds: number | null
}

/** One block per metric; null where the metric is unknown for at least one run. */
export interface TierBlocks {
  readonly passRate: Statistics
  readonly implRate: Statistics | null
  readonly costUsd: Statistics | null
  readonly durationSeconds: Statistics | null
  readonly costOfPass: Statistics | null
  readonly composite: Statistics | null
}

export interface TierSummary {
  /** Over all runs of the tier. */
  readonly pooled: TierBlocks
  /** Over the cases, each by the mean of its runs: a case with more runs weighs no more. */
  readonly perCase: TierBlocks
  /** From the median composite; null without one. */
  readonly grade: string | null
  /** How many runs lack each figure. */
  readonly unknown: {
    readonly implRate: number
    readonly costUsd: number
    readonly durationSeconds: number
  }
}

export interface TierProfile {
  readonly weights: CompositeWeights
  readonly scale: GradeScale
}

export const TIER_PROFILE: TierProfile = { weights: COMPOSITE_WEIGHTS, scale: GRADE_SCALE }

/**
 * Summary of one tier, from the runs of each of its cases.
 *
 * @example
 * const run = { passed: true, implRate: 0.85, costUsd: 0.5, durationSeconds: 60 }
 * tierSummary([[run]]).grade // 'B', since the composite is 0.925
 */
export function tierSummary(
  cases: ReadonlyArray<readonly TierRun[]>,
  { weights, scale }: TierProfile = TIER_PROFILE,
): TierSummary {
  checkLength('cases', cases)
  for (const runs of cases) checkLength('runs of a case', runs)
  for (const runs of cases) for (const run of runs) checkRun(run)
  const ofRun = {
    passRate: (run: TierRun) => (run.passed ? 1 : 0),
    implRate: (run: TierRun) => run.implRate,
    costUsd: (run: TierRun) => run.costUsd,
    durationSeconds: (run: TierRun) => run.durationSeconds,
    composite: (run: TierRun) =>
      run.implRate === null ? null : compositeScore(run.passed ? 1 : 0, run.implRate, weights),
  }
  // Million-run tiers are real: no list of all runs is made on the way.
  const pooled = (figure: (run: TierRun) => number | null): number[] | null => {
    const list: number[] = []
    for (const runs of cases)
      for (const run of runs) {
        const value = figure(run)
        if (value === null) return null
        list.push(value)
      }
    return list
  }
  const perCase = (figure: (run: TierRun) => number | null): number[] | null =>
    known(
      cases.map((runs) => {
        const figures = known(runs.map(figure))
        return figures === null ? null : mean(figures)
      }),
    )

  const blocks = (values: typeof pooled): TierBlocks => {
    const passRates = values(ofRun.passRate) as number[]
    const costs = values(ofRun.costUsd)
    return {
      passRate: describe(passRates),
      implRate: block(values(ofRun.implRate)),
      costUsd: block(costs),
      durationSeconds: block(values(ofRun.durationSeconds)),
      costOfPass: block(costs?.map((cost, i) => costOfPass(cost, passRates[i] as number)) ?? null),
      composite: block(values(ofRun.composite)),
    }
  }
  const all = blocks(pooled)
  const missing = (figure: 'implRate' | 'costUsd' | 'durationSeconds'): number =>
    cases.reduce((sum, runs) => sum + runs.filter((run) => run[figure] === null).length, 0)
  return {
    pooled: all,
    perCase: blocks(perCase),
    grade: all.composite === null ? null : letterGrade(all.composite.median, scale),
    unknown: {
      implRate: missing('implRate'),
      costUsd: missing('costUsd'),
      durationSeconds: missing('durationSeconds'),
    },
  }
}

const block = (values: number[] | null): Statistics | null =>
  values === null ? null : describe(values)

/** The list, or null if a single member is unknown: a mean of what is left would be another figure. */
function known(values: readonly (number | null)[]): number[] | null {
  const list: number[] = []
  for (const value of values) {
    if (value === null) return null
    list.push(value)
  }
  return list
}

function checkRun(run: TierRun): void {
  if (run.implRate !== null) checkNumber('implRate', run.implRate, 0, 1)
  if (run.costUsd !== null) checkNumber('costUsd', run.costUsd, 0)
  if (run.durationSeconds !== null) checkNumber('durationSeconds', run.durationSeconds, 0)
}

/**
 * (tier − t0) / t0, the relative gain over the baseline; null where the baseline is 0, since no
 * percentage leads away from nothing.
 *
 * @example tierUplift(0.9, 0.75) // 0.2
 */
export function tierUplift(tier: number, t0: number): number | null {
  const difference = upliftAbs(tier, t0)
  return t0 === 0 ? null : difference / t0
}

/**
 * tier − t0 in points: defined at every baseline and not inflated near 0.
 *
 * @example upliftAbs(0.5, 0) // 0.5
 */
export function upliftAbs(tier: number, t0: number): number {
  checkNumber('tier', tier, 0)
  checkNumber('t0', t0, 0)
  return tier - t0
}

/**
 * Population variance of the tiers' median pass rates: 0 when the setup does not matter.
 *
 * @example passRateVariance([0.7, 0.8, 0.85, 0.9]) // 0.00546875
 */
export function passRateVariance(medianPassRates: readonly number[]): number {
  for (const rate of medianPassRates) checkNumber('medianPassRates', rate, 0, 1)
  return populationVariance(medianPassRates)
}

/**
 * Population variance of the tiers' median costs, in square dollars.
 *
 * @example costVariance([1, 3]) // 1
 */
export function costVariance(medianCosts: readonly number[]): number {
  for (const cost of medianCosts) checkNumber('medianCosts', cost, 0)
  return populationVariance(medianCosts)
}

/**
 * The dearest tier's cost less the cheapest one's.
 *
 * @example costDelta([1.5, 0.25, 3.75]) // 3.5
 */
export function costDelta(costs: readonly number[]): number {
  checkLength('costs', costs)
  let least = Infinity
  let most = -Infinity
  for (const cost of costs) {
    checkNumber('costs', cost, 0)
    least = Math.min(least, cost)
    most = Math.max(most, cost)
  }
  return most - least
}

export interface CrossTier {
  /** Of each tier's median composite over the baseline's; null without composites or at a zero baseline. */
  readonly uplift: readonly (number | null)[]
  readonly upliftAbs: readonly (number | null)[]
  readonly passRateVariance: number
  /** Null where a tier's cost is unknown. */
  readonly costVariance: number | null
  readonly costDelta: number | null
}

/**
 * What the tiers say side by side; `baseline` is the position of the tier the others are measured by.
 *
 * @example
 * const tier = (implRate) => tierSummary([[{ passed: true, implRate, costUsd: 1, durationSeconds: 1 }]])
 * crossTier([tier(0.5), tier(0.8)]).uplift // [0, 0.2]
 */
export function crossTier(tiers: readonly TierSummary[], baseline: number = 0): CrossTier {
  checkLength('tiers', tiers)
  checkInteger('baseline', baseline, 0, tiers.length - 1)
  const composites = tiers.map((tier) => tier.pooled.composite?.median ?? null)
  const from = composites[baseline] ?? null
  const costs = known(tiers.map((tier) => tier.pooled.costUsd?.median ?? null))
  const against = (change: (tier: number, t0: number) => number | null): (number | null)[] =>
    composites.map((to) => (to === null || from === null ? null : change(to, from)))
  return {
    uplift: against(tierUplift),
    upliftAbs: against(upliftAbs),
    passRateVariance: passRateVariance(tiers.map((tier) => tier.pooled.passRate.median)),
    costVariance: costs === null ? null : costVariance(costs),
    costDelta: costs === null ? null : costDelta(costs),
  }
}
