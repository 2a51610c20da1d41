/**
 * The cost of a pass on each tier, which tiers are worth their price, and what passes would cost if each case
 * went to the tier that solves it most cheaply. All are ratios of totals. Comparisons between tiers use only
 * the cases that were scored on every tier.
 */
import {
  costOfPassRatio,
  frontier,
  frontierHeldOut,
  paretoMembership,
  type CaseCost,
  type Metric,
} from '@assay/metrics'
import type { Tally } from '../../log/index.ts'
import { eachScored, type CellFigures } from './cell-figures.ts'
import type { ReportMetric, ReportTiers } from '../schema/report.ts'
import { reported } from '../schema/to-metric.ts'

/** One tier's cases, in the suite's order, and its cost of pass from the subject's report. */
export interface TierCosts {
  readonly subject: string
  readonly figures: readonly CellFigures[]
  readonly perPass: ReportMetric
}

type Costs = Exclude<ReportTiers['cost_of_pass'], undefined>

/**
 * Each trial becomes an object here. With more trials than this, only the population target gets an interval.
 */
const MOST_TRIALS = 200_000

export const tierCosts = (tally: Tally, tiers: readonly TierCosts[]): Costs =>
  tiers.map((tier) => ({ population: tier.perPass, fixed: onTheseCases(tally, tier) }))

/**
 * The cost of pass for exactly these cases, where only the trials vary. The trials are treated as independent
 * units. The differences between cases then count as noise too, so the interval is too wide rather than too
 * narrow.
 */
function onTheseCases(tally: Tally, { figures, perPass }: TierCosts): ReportMetric {
  if (perPass.value === null && perPass.infinite !== true) return perPass
  const { interval: _, reason: __, ...rest } = perPass
  if (figures.reduce((sum, { n }) => sum + n, 0) > MOST_TRIALS)
    return { ...rest, reason: `more than ${MOST_TRIALS} trials: no interval` }
  const trials: CaseCost[] = []
  for (const { cell } of figures)
    eachScored(tally, cell, (i) => {
      const cost = tally.answerUsd.at(i)
      trials.push({ n: 1, c: tally.outcomeAt(i) === 'passed' ? 1 : 0, cost })
    })
  return reported(asFixed(costOfPassRatio(trials), perPass.n))
}

/** Rewords an estimate over cases, so that its reason and method speak of trials. */
function asFixed({ interval, reason, ...metric }: Metric, cases: number): Metric {
  const said = reason?.replace('one case says nothing about others', 'one trial shows no spread')
  const told = said?.replace('in all cases', 'in all trials')
  return {
    ...metric,
    n: cases,
    ...(told === undefined ? {} : { reason: told }),
    ...(interval === undefined
      ? {}
      : {
          interval: {
            ...interval,
            method: interval.method.replace('over cases', 'over trials'),
            target: 'fixed' as const,
          },
        }),
  }
}

const RESAMPLES = 1999

/** Both are null if a price is unknown, or if no case was scored on every tier. */
export function worthTheirPrice(
  tally: Tally,
  tiers: readonly TierCosts[],
  seed: number,
): { pareto: ReportTiers['pareto']; frontier: ReportTiers['frontier'] } {
  const isKnown = tiers.every(({ figures }) => figures.every(({ n, cost }) => cost.n === n))
  const [first] = tiers
  const places = (first?.figures ?? []).flatMap((_, i) =>
    tiers.every(({ figures }) => (figures[i]?.n ?? 0) > 0) ? [i] : [],
  )
  if (!isKnown || places.length === 0) return { pareto: null, frontier: null }
  const costs = tiers.map(({ figures }) =>
    places.map((i): CaseCost => {
      const { n, c, cost } = figures[i] as CellFigures
      return { n, c, cost: cost.sum }
    }),
  )
  const { set, probability, resamples } = paretoMembership(costs, { seed, resamples: RESAMPLES })
  const { value, cases, solved } = frontier(costs)
  return {
    pareto: {
      tiers: set.map((at) => tiers[at]?.subject ?? ''),
      // A single case cannot be resampled: it says nothing about other cases.
      probability: places.length === 1 ? [] : [...probability],
      resamples,
    },
    frontier: { value, cases, solved, heldOut: heldOut(tally, tiers, places) },
  }
}

/**
 * Held-out cost of pass: every other trial is used to choose the cheapest tier, and the rest to price that
 * choice.
 */
function heldOut(
  tally: Tally,
  tiers: readonly TierCosts[],
  places: readonly number[],
): ReportMetric {
  const halves = tiers.map(({ figures }) =>
    places.map((place) => {
      const half = { even: { n: 0, c: 0, cost: 0 }, odd: { n: 0, c: 0, cost: 0 } }
      let next = 0
      eachScored(tally, (figures[place] as CellFigures).cell, (i) => {
        const one = next++ % 2 === 0 ? half.even : half.odd
        one.n++
        if (tally.outcomeAt(i) === 'passed') one.c++
        one.cost += tally.answerUsd.at(i)
      })
      return half
    }),
  )
  if (halves.some((tier) => tier.some(({ odd }) => odd.n === 0)))
    return { value: null, n: 0, reason: 'some case has a single scored trial on a tier' }
  const half = (which: 'even' | 'odd'): CaseCost[][] =>
    halves.map((tier) => tier.map((one) => one[which]))
  return reported(frontierHeldOut(half('even'), half('odd')).costOfPass)
}
