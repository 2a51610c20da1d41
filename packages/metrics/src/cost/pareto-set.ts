/**
 * The Pareto set: the subjects that no other subject beats in cost and quality at once. Only these
 * subjects are worth considering. With few cases this set is uncertain. `paretoMembership` says how
 * often each subject is in the set over resamples of the cases. All subjects use the same
 * resamples, because they answered the same cases.
 */
import { checkGroup, checkLength, checkNumber, checkSameLength } from '../domain.ts'
import { sumsByGroup } from '../interval/clustered-se.ts'
import type { Groups } from '../interval/pass-estimate.ts'
import { bootstrapBlock, bootstrapBlocks, type BootstrapOptions } from '../resample/bootstrap.ts'
import { distinctRows } from '../resample/distinct-rows.ts'
import { ofSums } from '../resample/statistic.ts'
import { type CaseCost, checkCaseCosts } from './cost-of-pass-ratio.ts'

export interface CostQuality {
  readonly cost: number
  readonly quality: number
}

export interface ParetoMembership {
  /** Indices of the subjects that are in the set for the original cases. */
  readonly set: readonly number[]
  /** For each subject the share of resamples in which it is in the set. */
  readonly probability: readonly number[]
  readonly resamples: number
}

/**
 * Returns the indices of the points that no other point dominates. A point dominates another if its
 * cost is not higher, its quality is not lower, and one of the two is better. Equal points do not
 * dominate each other.
 *
 * @example paretoSet([{ cost: 1, quality: 0.5 }, { cost: 2, quality: 0.4 }]) // [0]
 */
export function paretoSet(points: readonly CostQuality[]): readonly number[] {
  checkLength('points', points)
  for (const { cost, quality } of points) {
    checkNumber('cost', cost)
    checkNumber('quality', quality)
  }
  const byCost = points
    .map((point, at) => ({ ...point, at }))
    .sort((a, b) => a.cost - b.cost || b.quality - a.quality)
  const members: number[] = []
  let best = -Infinity
  let bestCost = -Infinity
  for (const { cost, quality, at } of byCost) {
    // The points are in order of rising cost. A point is kept if its quality is above that of all
    // points before it, or if it equals the last kept point.
    if (quality > best) {
      best = quality
      bestCost = cost
    } else if (quality < best || cost > bestCost) continue
    members.push(at)
  }
  return members.sort((a, b) => a - b)
}

/**
 * Returns how often each subject is in the Pareto set over resamples of the cases. The two criteria
 * are the mean cost per trial and the pass rate, both as means over cases. `subjects[s][i]` has the
 * trials and costs of subject s on case i. If `groups[i]` names the group of case i, groups are
 * resampled instead of cases.
 *
 * @example
 * const cheap = [{ n: 1, c: 0, cost: 1 }, { n: 1, c: 1, cost: 1 }]
 * const dear = [{ n: 1, c: 1, cost: 3 }, { n: 1, c: 1, cost: 3 }]
 * paretoMembership([cheap, dear], { seed: 1 }).probability[0] // 1: nothing is cheaper
 */
export function paretoMembership(
  subjects: readonly (readonly CaseCost[])[],
  options: Omit<BootstrapOptions, 'level'> & { readonly groups?: Groups },
): ParetoMembership {
  checkLength('subjects', subjects)
  const [first] = subjects as readonly [readonly CaseCost[], ...(readonly CaseCost[])[]]
  for (const [s, subject] of subjects.entries()) {
    checkCaseCosts(`subjects[${s}]`, subject)
    checkSameLength('subjects[0]', first, `subjects[${s}]`, subject)
  }
  const { groups } = options
  if (groups) {
    checkSameLength('groups', groups, 'subjects[0]', first)
    for (const group of groups) checkGroup(group)
  }
  // A resample of groups has the same cases for all subjects. So comparing sums over these cases
  // gives the same order as comparing means.
  const columns = subjects.flatMap((subject) =>
    [subject.map(({ n, cost }) => cost / n), subject.map(({ n, c }) => c / n)].map((column) =>
      groups ? sumsByGroup(column, groups) : column,
    ),
  )
  const [units = []] = columns
  const rows = distinctRows(units.map((_, i) => columns.map((column) => column[i] as number)))
  const membership = ofSums((sum, cases) => {
    const members = paretoSet(
      subjects.map((_, s) => ({ cost: sum(2 * s) / cases, quality: sum(2 * s + 1) / cases })),
    )
    return subjects.map((_, s) => (members.includes(s) ? 1 : 0))
  })

  const inside = new Float64Array(subjects.length)
  let resamples = 0
  for (let block = 0; block < bootstrapBlocks(options.resamples); block++) {
    const values = bootstrapBlock(rows, membership, options, block)
    for (const [i, member] of values.entries()) {
      const s = i % subjects.length
      inside[s] = (inside[s] as number) + member
    }
    resamples += values.length / subjects.length
  }
  return {
    set: membership(rows.multiplicity, rows).flatMap((member, s) => (member === 1 ? [s] : [])),
    probability: Array.from(inside, (count) => count / resamples),
    resamples,
  }
}
