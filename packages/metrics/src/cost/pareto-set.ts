/**
 * Which subjects are worth considering at all: those that no other beats in cost and quality at
 * once. From few cases that set is itself a guess, so `paretoMembership` says how often each
 * subject is in it over resamples of the cases, the same resamples for all subjects, since they met
 * the same cases.
 */
import { checkLength, checkNumber, checkSameLength } from '../domain.ts'
import { bootstrapBlock, bootstrapBlocks, type BootstrapOptions } from '../resample/bootstrap.ts'
import { distinctRows } from '../resample/distinct-rows.ts'
import { ofSums } from '../resample/statistic.ts'
import { type CaseCost, checkCaseCosts } from './cost-of-pass-ratio.ts'

export interface CostQuality {
  readonly cost: number
  readonly quality: number
}

export interface ParetoMembership {
  /** Positions of the subjects that are in the set on the cases themselves. */
  readonly set: readonly number[]
  /** For each subject the share of resamples in which it is in the set. */
  readonly probability: readonly number[]
  readonly resamples: number
}

/**
 * The positions of the points that no other dominates: at most the cost and at least the quality,
 * and better in one of them. Equal points do not dominate each other.
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
    // Going up in cost, a point stays if it beats all before it, or equals the last that did.
    if (quality > best) {
      best = quality
      bestCost = cost
    } else if (quality < best || cost > bestCost) continue
    members.push(at)
  }
  return members.sort((a, b) => a - b)
}

/**
 * How sure it is that each subject is on the Pareto set of mean cost per trial and pass rate (both
 * means over cases), `subjects[s][i]` being subject s on case i.
 *
 * @example
 * const cheap = [{ n: 1, c: 0, cost: 1 }, { n: 1, c: 1, cost: 1 }]
 * const dear = [{ n: 1, c: 1, cost: 3 }, { n: 1, c: 1, cost: 3 }]
 * paretoMembership([cheap, dear], { seed: 1 }).probability[0] // 1: nothing is cheaper
 */
export function paretoMembership(
  subjects: readonly (readonly CaseCost[])[],
  options: Omit<BootstrapOptions, 'level'>,
): ParetoMembership {
  checkLength('subjects', subjects)
  const [first] = subjects as readonly [readonly CaseCost[], ...(readonly CaseCost[])[]]
  for (const [s, subject] of subjects.entries()) {
    checkCaseCosts(`subjects[${s}]`, subject)
    checkSameLength('subjects[0]', first, `subjects[${s}]`, subject)
  }
  const rows = distinctRows(
    first.map((_, i) =>
      subjects.flatMap((subject) => {
        const { n, c, cost } = subject[i] as CaseCost
        return [cost / n, c / n]
      }),
    ),
  )
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
