/**
 * Compares the best subject of a suite with each of the others, over the cases on which both were scored. If they share
 * few cases, they are compared as independent groups.
 *
 * With more than two subjects, the best one is chosen from the same data. So each decision must take all pairs of
 * subjects into account: its interval has the level 1 − alpha / pairs (Bonferroni), and all these intervals hold at
 * once.
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

/**
 * Returns the cases on which both subjects were scored. `after` has the values of the first subject, `before` those of
 * the second.
 */
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
  // The interval for cases like these contains the interval for exactly these cases. So it becomes narrower only if the
  // larger of the two standard errors becomes smaller.
  const ofTrials = fixed.interval?.method === population.interval?.method ? 0 : (fixed.se ?? 0)
  // If the difference is the same in all cases, the standard error is 0. The interval still has a width, because other
  // cases may differ, and more trials do not make it narrower.
  const isSpread = population.se !== null && population.se > 0
  const se = isSpread ? Math.max(population.se, ofTrials) : population.se
  const planned = { ...population, se, interval: at.population }
  return {
    rival,
    cases: pair.before.length,
    isSteady: isSteady(pair),
    needed: !isOpen(rival)
      ? null
      : units > 1
        ? neededFor(planned, pair, ofTrials)
        : neededForOneCase(rival, pair, level),
  }
}

/**
 * Whether both subjects ran every case more than once, and all trials of a case had the same verdict. More trials of
 * the same cases would then probably show nothing new.
 */
const isSteady = ({ before, after }: PairedCases): boolean =>
  [...before, ...after].every(({ n, sum }) => n > 1 && (sum === 0 || sum === n))

const rateOf = (cases: readonly CaseScores[]): number => mean(cases.map(({ n, sum }) => sum / n))

/**
 * Computes how many more trials or cases are needed to show either that the difference is not zero or that it is
 * smaller than the margin, whichever needs less.
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
          // If all trials of each case had the same verdict, more trials are not recommended, so the noise is 0. They
          // would only reduce the minimum width that the interval for exactly these cases has.
          noise: isSteady(pair) ? 0 : Math.max(variance.noise, ofTrials ** 2 * pair.before.length),
        },
  )
}

/**
 * Returns how many more trials would decide which subject passes a single case more often. One case says nothing about
 * other cases.
 */
function neededForOneCase({ decision }: Rival, pair: PairedCases, level: number): Needed | null {
  const [before, after] = [pair.before[0], pair.after[0]]
  if (decision !== 'not decided' || pair.before.length > 1) return null
  if (before === undefined || after === undefined) return null
  const trialsPerCase = trialsForOneCase(before, after, level)
  return trialsPerCase === null ? null : { cases: null, trialsPerCase }
}
