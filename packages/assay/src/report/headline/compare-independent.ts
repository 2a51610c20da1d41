/**
 * Compares the best subject of a suite with a subject that shares few cases with it. The two are compared as
 * independent groups, over all scored cases of each. Tiers are compared by the same rule.
 */
import { DEFAULT_LEVEL, minDetectableEffect, normalQuantile, type Needed } from '@assay/metrics'
import {
  independentDifference,
  independentIntervals,
  meanOf,
  populationOf,
  reportedBetween,
  unitsOf,
  type Sample,
} from '../figures/independent/independent-difference.ts'
import type { Overlap } from '../figures/independent/overlap.ts'
import type { Rival } from '../schema/headline-schema.ts'
import type { SubjectReport } from '../schema/report.ts'
import { FEWEST_UNITS, isOpen, MARGIN, passesOf, verdictAt, type Compared } from './decide.ts'

export function compareIndependent(
  best: SubjectReport,
  other: SubjectReport,
  comparisons: number,
  compared: Overlap,
): Compared {
  const [to, from] = [sampleOf(best), sampleOf(other)]
  const { fixed, population } = independentDifference(from, to)
  const level = 1 - (1 - DEFAULT_LEVEL) / comparisons
  const at = independentIntervals(from, to, level)
  const [few, many] = [from, to].toSorted((a, b) => unitsOf(a) - unitsOf(b)) as [Sample, Sample]
  const units = unitsOf(few)
  const isGrouped = [few, many].some(({ groups }) => groups !== undefined)
  const rival: Rival = {
    subject: other.subject,
    shared: compared.shared,
    compared: { ...compared },
    ...(isGrouped ? { groups: units } : {}),
    bestRate: meanOf(to),
    rate: meanOf(from),
    population: reportedBetween(population),
    fixed: reportedBetween(fixed),
    ...verdictAt(at, units, comparisons),
  }
  const size = Math.abs(population.difference ?? 0)
  return {
    rival,
    cases: few.cases.length,
    needed:
      isOpen(rival) && at.population !== null
        ? moreCases([few, many], at.population, Math.max(size, MARGIN - size))
        : null,
  }
}

/** Returns all scored cases of a subject, with the rate at which each passes. */
function sampleOf(row: SubjectReport): Sample {
  const scored = row.cases.filter(({ n }) => n > 0)
  return {
    kind: 'passes',
    cases: scored.map(passesOf),
    ...(scored.some(({ group }) => group !== undefined) && {
      // A case without a group counts as its own group.
      groups: scored.map(({ group }, i) => (group === undefined ? `case ${i}` : `group ${group}`)),
    }),
  }
}

/** The maximum number of cases that is searched for. */
const MOST_CASES = 1e9

/**
 * Returns how many new cases of each subject would probably decide the comparison. They must make the interval so
 * narrow that it ends less than `room` away from the difference. Each subject contributes a part of the interval's
 * squared width, in proportion to the squared width of its own interval. This part shrinks as the subject gets more
 * cases or groups of cases.
 */
function moreCases(
  samples: readonly [Sample, Sample],
  { low, high, level }: { readonly low: number; readonly high: number; readonly level: number },
  room: number,
): Needed {
  // The standard error of a normal interval is its width times this factor.
  const perWidth = 1 / (2 * normalQuantile((1 + level) / 2))
  const total = ((high - low) * perWidth) ** 2
  const widths = samples.map((sample) => {
    const { interval } = populationOf(sample, level)
    return interval === undefined ? 1 : (interval.high - interval.low) ** 2
  })
  const sum = (widths[0] as number) + (widths[1] as number)
  const parts = samples.map((sample, i) => ({
    units: unitsOf(sample),
    variance: ((total * (widths[i] as number)) / sum) * unitsOf(sample),
  }))
  const isEnough = (more: number): boolean =>
    parts.every(({ units }) => units + more >= FEWEST_UNITS) &&
    minDetectableEffect({
      cases: 1,
      between: parts.reduce((all, { units, variance }) => all + variance / (units + more), 0),
      level,
    }) <= room
  let [less, enough] = [0, 1]
  while (!isEnough(enough)) {
    if (enough > MOST_CASES) return { cases: null, trialsPerCase: null }
    ;[less, enough] = [enough, enough * 2]
  }
  while (enough - less > 1) {
    const middle = Math.floor((less + enough) / 2)
    if (isEnough(middle)) enough = middle
    else less = middle
  }
  const perUnit = Math.max(...samples.map((sample) => sample.cases.length / unitsOf(sample)))
  return { cases: Math.ceil(enough * perUnit - 1e-9), trialsPerCase: null }
}
