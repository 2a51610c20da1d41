/**
 * Tiers are setups in a fixed order; the first is the baseline. This file computes the statistics
 * of one tier and the comparisons between tiers, as the document metrics-formulas defines them.
 *
 * The median of values 0 and 1 is 0, 0.5 or 1, so grades and uplifts from medians are coarse. For
 * example, a setup that passes 60 % of the time has a median pass rate of 1 in 63 % of tiers with ten
 * runs. The statistics also contain the means. For intervals, use `passRateEstimate` and
 * `pairedDifference`.
 */
import { checkInteger, checkLength, checkNumber } from '../../domain.ts'
import { mean } from '../../fsum.ts'
import { COMPOSITE_WEIGHTS, compositeScore, type CompositeWeights } from './composite-score.ts'
import { costOfPass } from './cost.ts'
import { describe, populationVariance, type Statistics } from '../describe.ts'
import { GRADE_SCALE, letterGrade, type GradeScale } from './letter-grade.ts'

export interface TierRun {
  readonly passed: boolean
  /**
   * The judge's weighted score. It is null if no judge graded the run. It is undefined if the score
   * was set aside because it cannot be right. The run is then left out of the implementation rate
   * and the composite.
   */
  readonly implRate: number | null | undefined
  readonly costUsd: number | null
  readonly durationSeconds: number | null
}

/** The runs of one case: an array, or anything else that can be read in order and knows its length. */
export type TierRuns = Iterable<TierRun> & { readonly length: number }

/** Descriptive statistics per metric; null if the metric is unknown for at least one run. */
export interface TierBlocks {
  readonly passRate: Statistics
  readonly implRate: Statistics | null
  readonly costUsd: Statistics | null
  readonly durationSeconds: Statistics | null
  readonly costOfPass: Statistics | null
  readonly composite: Statistics | null
}

export interface TierSummary {
  /** Statistics over all runs of the tier. */
  readonly pooled: TierBlocks
  /**
   * Statistics over the cases. Each case counts with the mean of its runs, so all cases have the
   * same weight.
   */
  readonly perCase: TierBlocks
  /** The grade of the median composite score; null if the composite is unknown. */
  readonly grade: string | null
  /** For each figure, the number of runs for which it is unknown or was set aside. */
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
 * Returns the summary of one tier, from the runs of each of its cases.
 *
 * @example
 * const run = { passed: true, implRate: 0.85, costUsd: 0.5, durationSeconds: 60 }
 * tierSummary([[run]]).grade // 'B', since the composite is 0.925
 */
export function tierSummary(
  cases: readonly TierRuns[],
  { weights, scale }: TierProfile = TIER_PROFILE,
): TierSummary {
  checkLength('cases', cases)
  for (const runs of cases) checkLength('runs of a case', runs)
  const lengths = cases.map(({ length }) => length)
  const { passRate, implRate, costUsd, durationSeconds } = figuresOf(cases, total(lengths))
  const passRates = passRate.values as Float64Array
  const composites =
    implRate.values?.map((rate, i) =>
      Number.isNaN(rate) ? rate : compositeScore(passRates[i] as number, rate, weights),
    ) ?? null

  const blocks = (of: (values: Float64Array) => Float64Array): TierBlocks => {
    const block = (values: Float64Array | null): Statistics | null => {
      const used = values === null ? null : withoutSetAside(of(values))
      return used === null || used.length === 0 ? null : describe(used)
    }
    const rates = of(passRates)
    const costs = costUsd.values === null ? null : of(costUsd.values)
    const perPass = costs?.map((cost, i) => costOfPass(cost, rates[i] as number)) ?? null
    return {
      passRate: describe(rates),
      implRate: block(implRate.values),
      costUsd: costs === null ? null : describe(costs),
      durationSeconds: block(durationSeconds.values),
      costOfPass: perPass === null ? null : describe(perPass),
      composite: block(composites),
    }
  }
  const pooled = blocks((values) => values)
  return {
    pooled,
    perCase: blocks((values) => meansOf(values, lengths)),
    grade: pooled.composite === null ? null : letterGrade(pooled.composite.median, scale),
    unknown: {
      implRate: implRate.unknown,
      costUsd: costUsd.unknown,
      durationSeconds: durationSeconds.unknown,
    },
  }
}

const total = (lengths: readonly number[]): number => lengths.reduce((sum, n) => sum + n, 0)

/** One figure of all runs. A tier can have a million runs, so each figure is one array of numbers. */
class Figure {
  /**
   * The array is null if the figure is unknown for at least one run, because a mean of only the
   * known values would be misleading.
   */
  values: Float64Array | null
  unknown = 0
  #length = 0

  constructor(length: number) {
    this.values = new Float64Array(length)
  }

  /**
   * Adds the figure of a run. Null means that it is unknown, so there are no values for any run. Undefined means that it
   * was set aside because it cannot be right. It is stored as NaN, and `withoutSetAside` leaves it out.
   */
  add(value: number | null | undefined): void {
    if (value === null || value === undefined) this.unknown++
    if (value === null) this.values = null
    else if (this.values !== null) this.values[this.#length++] = value ?? Number.NaN
  }
}

/**
 * Returns the values without those that were set aside. If no value was set aside, the array itself
 * is returned.
 */
const withoutSetAside = (values: Float64Array): Float64Array =>
  values.some(Number.isNaN) ? values.filter((value) => !Number.isNaN(value)) : values

function figuresOf(cases: readonly TierRuns[], length: number) {
  const passRate = new Figure(length)
  const implRate = new Figure(length)
  const costUsd = new Figure(length)
  const durationSeconds = new Figure(length)
  for (const runs of cases)
    for (const run of runs) {
      checkRun(run)
      passRate.add(run.passed ? 1 : 0)
      implRate.add(run.implRate)
      costUsd.add(run.costUsd)
      durationSeconds.add(run.durationSeconds)
    }
  return { passRate, implRate, costUsd, durationSeconds }
}

/**
 * Returns the mean of each case. The values of a case follow each other in `values`, and `lengths`
 * has their number. The mean is NaN if all values of the case were set aside.
 */
function meansOf(values: Float64Array, lengths: readonly number[]): Float64Array {
  let end = 0
  return Float64Array.from(lengths, (length) => {
    // The mean of one value is that value. Adding 0 turns −0 into 0.
    if (length === 1) return (values[end++] as number) + 0
    const used = withoutSetAside(values.subarray(end, (end += length)))
    return used.length === 0 ? Number.NaN : mean(used)
  })
}

/** Returns the values, or null if one of them is unknown. */
function known(values: readonly (number | null)[]): number[] | null {
  const list: number[] = []
  for (const value of values) {
    if (value === null) return null
    list.push(value)
  }
  return list
}

function checkRun(run: TierRun): void {
  if (run.implRate !== null && run.implRate !== undefined)
    checkNumber('implRate', run.implRate, 0, 1)
  if (run.costUsd !== null) checkNumber('costUsd', run.costUsd, 0)
  if (run.durationSeconds !== null) checkNumber('durationSeconds', run.durationSeconds, 0)
}

/**
 * Returns (tier − t0) / t0, the relative gain over the baseline t0. The result is null if the
 * baseline is 0, because a gain relative to 0 is undefined.
 *
 * @example tierUplift(0.9, 0.75) // 0.2
 */
export function tierUplift(tier: number, t0: number): number | null {
  const difference = upliftAbs(tier, t0)
  return t0 === 0 ? null : difference / t0
}

/**
 * Returns tier − t0, the absolute gain over the baseline t0. Unlike the relative gain, it is
 * defined for every baseline and does not become large if the baseline is near 0.
 *
 * @example upliftAbs(0.5, 0) // 0.5
 */
export function upliftAbs(tier: number, t0: number): number {
  checkNumber('tier', tier, 0)
  checkNumber('t0', t0, 0)
  return tier - t0
}

/**
 * Returns the population variance of the tiers' median pass rates, which is 0 if all tiers have the
 * same median.
 *
 * @example passRateVariance([0.7, 0.8, 0.85, 0.9]) // 0.00546875
 */
export function passRateVariance(medianPassRates: readonly number[]): number {
  for (const rate of medianPassRates) checkNumber('medianPassRates', rate, 0, 1)
  return populationVariance(medianPassRates)
}

/**
 * Returns the population variance of the tiers' median costs, in square dollars.
 *
 * @example costVariance([1, 3]) // 1
 */
export function costVariance(medianCosts: readonly number[]): number {
  for (const cost of medianCosts) checkNumber('medianCosts', cost, 0)
  return populationVariance(medianCosts)
}

/**
 * Returns the cost of the most expensive tier minus the cost of the cheapest tier.
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
  /**
   * Relative gain of each tier's median composite over the baseline's; null if a composite is unknown
   * or the baseline is 0.
   */
  readonly uplift: readonly (number | null)[]
  readonly upliftAbs: readonly (number | null)[]
  readonly passRateVariance: number
  /** The variance of the median costs of the tiers; null if the cost of a tier is unknown. */
  readonly costVariance: number | null
  readonly costDelta: number | null
}

/**
 * Compares the tiers. `baseline` is the index of the tier that the others are compared with.
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
