/**
 * Computes three things about the tiers of an experiment: the cost of a pass on each tier, which tiers are worth their
 * price, and the cost of a pass if each case went to the tier that solves it most cheaply. All these figures are ratios
 * of totals. Comparisons between tiers use only the cases that were scored on every tier.
 */
import {
  costOfPassRatio,
  DEFAULT_LEVEL,
  frontier,
  frontierHeldOut,
  paretoMembership,
  type CaseCost,
  type Metric,
} from '@assay/metrics'
import type { Tally } from '../../log/index.ts'
import { groupNames } from './groups/case-groups.ts'
import { eachScored, type CellFigures } from './cell-figures.ts'
import type { ReportMetric, ReportTiers } from '../schema/report.ts'
import { reported } from '../schema/to-metric.ts'

/**
 * The cases of one tier, in the order of the suite. `perPass` is the tier's cost of a pass, from the report of the
 * subject.
 */
export interface TierCosts {
  readonly subject: string
  readonly figures: readonly CellFigures[]
  readonly perPass: ReportMetric
}

type Costs = Exclude<ReportTiers['cost_of_pass'], undefined>

/**
 * The maximum number of trials for the interval for exactly these cases, which needs an object for each trial. With
 * more trials, only the interval for cases like these is computed.
 */
const MOST_TRIALS = 200_000

export const tierCosts = (tally: Tally, tiers: readonly TierCosts[]): Costs =>
  tiers.map((tier) => ({ population: tier.perPass, fixed: onTheseCases(tally, tier) }))

/**
 * Computes the cost of a pass with the interval for exactly these cases, where only the trials vary. It treats all
 * trials as independent units. So differences between cases count as random variation too, and the interval is too wide
 * rather than too narrow.
 */
function onTheseCases(tally: Tally, { figures, perPass }: TierCosts): ReportMetric {
  if (perPass.value === null && perPass.infinite !== true) return perPass
  const { interval: _, reason: __, groups: ___, ...rest } = perPass
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

/**
 * Corrects the words of an estimate that was computed as if each trial were a case. In its reason and method, "case"
 * becomes "trial".
 */
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
            method:
              interval.method === 'zero-pass bound over cases'
                ? 'zero-pass bound over trials'
                : interval.method,
            target: 'fixed' as const,
          },
        }),
  }
}

const RESAMPLES = 1999

/**
 * Returns which tiers are worth their price, and the cost with the best tier for each case. Both are null if a price is
 * unknown or if no case was scored on every tier.
 */
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
  const groups = groupNames(
    places.map((i) => (first as TierCosts).figures[i] as CellFigures).map(({ cell }) => cell.case),
  )
  const { set, probability, resamples } = paretoMembership(costs, {
    seed,
    resamples: RESAMPLES,
    ...(groups === undefined ? {} : { groups }),
  })
  const { value, cases, solved } = frontier(costs)
  return {
    pareto: {
      tiers: set.map((at) => tiers[at]?.subject ?? ''),
      // A single case or group cannot be resampled, so there are no probabilities.
      probability:
        (groups === undefined ? places.length : new Set(groups).size) === 1 ? [] : [...probability],
      resamples,
    },
    frontier: { value, cases, solved, heldOut: heldOut(tally, tiers, places, groups) },
  }
}

/**
 * Returns the cost of a pass if each case goes to the tier that is cheapest for it. Every second trial is used to
 * choose the tier, and the other trials are used to compute the cost of that choice. If the same trials were used for
 * both, the cost would look too low.
 */
function heldOut(
  tally: Tally,
  tiers: readonly TierCosts[],
  places: readonly number[],
  groups: readonly string[] | undefined,
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
  return reported(frontierHeldOut(half('even'), half('odd'), DEFAULT_LEVEL, groups).costOfPass)
}
