/**
 * Compares the best subject of a suite with each of the others, over the cases that both were scored on, or as
 * independent groups if they share few cases. With more than two subjects the best one is chosen from the same data, so each decision counts all pairs of subjects: its interval
 * has the level 1 − alpha / pairs (Bonferroni), and all these intervals hold at once.
 */
import {
  DEFAULT_LEVEL,
  mean,
  moreEvidence,
  pairedVariance,
  type CaseScores,
  type Needed,
  type PairedDifference,
} from '@assay/metrics'
import {
  pairDifference,
  pairIntervals,
  reportedDifference,
  type PairedCases,
} from '../figures/pair-difference.ts'
import { overlapFrom, type Overlap } from '../figures/independent/overlap.ts'
import type { Rival } from '../schema/headline-schema.ts'
import type { SubjectReport } from '../schema/report.ts'
import { compareIndependent } from './compare-independent.ts'
import { trialsForOneCase } from './one-case.ts'
import { isOpen, MARGIN, passesOf, verdictAt, type Compared } from './decide.ts'

/** Returns the cases that both subjects were scored on, the first subject's values as `after`. */
export function sharedCases(a: SubjectReport, b: SubjectReport): PairedCases {
  const others = new Map(b.cases.filter(({ n }) => n > 0).map((one) => [one.case, one]))
  const pairs = a.cases.flatMap((one) => {
    const other = one.n > 0 ? others.get(one.case) : undefined
    return other === undefined ? [] : [[one, other] as const]
  })
  const groups = pairs.map(([{ group }]) => group)
  return {
    kind: 'passes',
    after: pairs.map(([one]) => passesOf(one)),
    before: pairs.map(([, other]) => passesOf(other)),
    ...(groups.some((group) => group !== undefined) && {
      // A case without a group counts as its own group.
      groups: groups.map((group, i) => (group === undefined ? `case ${i}` : `group ${group}`)),
    }),
  }
}

/** Returns how the scored cases of two subjects overlap. */
export function overlapWith(a: SubjectReport, b: SubjectReport): Overlap {
  const [own, others] = [a, b].map(
    ({ cases }) => new Set(cases.flatMap((one) => (one.n > 0 ? [one.case] : []))),
  ) as [Set<string>, Set<string>]
  const shared = [...own].filter((one) => others.has(one)).length
  return overlapFrom(shared, own.size - shared, others.size - shared)
}

export function compareWith(
  best: SubjectReport,
  other: SubjectReport,
  comparisons: number,
): Compared {
  const overlap = overlapWith(best, other)
  if (overlap.as === 'independent') return compareIndependent(best, other, comparisons, overlap)
  const pair = sharedCases(best, other)
  const { fixed, population } = pairDifference(pair)
  const level = 1 - (1 - DEFAULT_LEVEL) / comparisons
  const at =
    comparisons === 1
      ? { fixed: fixed.interval, population: population.interval }
      : pairIntervals(pair, level)
  const units = population.units
  const rival: Rival = {
    subject: other.subject,
    shared: pair.before.length,
    ...(pair.groups === undefined ? {} : { groups: new Set(pair.groups).size }),
    bestRate: rateOf(pair.after),
    rate: rateOf(pair.before),
    population: reportedDifference(population),
    fixed: reportedDifference(fixed),
    ...verdictAt(at, units, comparisons),
  }
  // The population interval contains the fixed one, so the larger of both standard errors is what must shrink.
  const ofTrials = fixed.interval?.method === population.interval?.method ? 0 : (fixed.se ?? 0)
  // Where all cases agree (0), the interval allows for unseen cases, which more trials do not make smaller.
  const isSpread = population.se !== null && population.se > 0
  const se = isSpread ? Math.max(population.se, ofTrials) : population.se
  const planned = { ...population, se, interval: at.population }
  return {
    rival,
    cases: pair.before.length,
    needed: !isOpen(rival)
      ? null
      : units > 1
        ? neededFor(planned, pair, ofTrials)
        : neededForOneCase(rival, pair, level),
  }
}

const rateOf = (cases: readonly CaseScores[]): number => mean(cases.map(({ n, sum }) => sum / n))

/**
 * Plans for the result that needs less: to show that the observed difference is not zero, or that it is smaller than
 * the margin.
 */
function neededFor(difference: PairedDifference, pair: PairedCases, ofTrials: number): Needed {
  const size = Math.abs(difference.difference)
  const room = Math.max(size, MARGIN - size)
  const variance = pair.groups === undefined ? pairedVariance(pair.before, pair.after) : null
  const all = [...pair.before, ...pair.after]
  return moreEvidence(
    difference,
    room,
    variance === null
      ? undefined
      : {
          trialsPerCase: Math.max(1, Math.round(1 / mean(all.map(({ n }) => 1 / n)))),
          noise: Math.max(variance.noise, ofTrials ** 2 * pair.before.length),
        },
  )
}

/** One case says nothing about others, but more trials can decide which subject passes it more often. */
function neededForOneCase({ decision }: Rival, pair: PairedCases, level: number): Needed | null {
  const [before, after] = [pair.before[0], pair.after[0]]
  if (decision !== 'not decided' || pair.before.length > 1) return null
  if (before === undefined || after === undefined) return null
  const trialsPerCase = trialsForOneCase(before, after, level)
  return trialsPerCase === null ? null : { cases: null, trialsPerCase }
}
