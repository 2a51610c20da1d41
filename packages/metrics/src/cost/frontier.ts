/**
 * The frontier: the cost of a pass if each case were given to the subject that solves it most
 * cheaply. It is the mean over cases of the lowest cost of pass among the subjects. A case that no
 * subject solved has no such cost. It is left out of the mean, and the frontier also reports the
 * share of solved cases.
 *
 * The minimum of several noisy figures is on average below the minimum of the true ones (winner's
 * curse). So the trials that were used to choose a subject must not be used to compute its cost. So
 * `frontierHeldOut` chooses the subjects with one half of the trials and computes their cost from
 * the other half.
 *
 * Source: Erol et al. 2025, Cost-of-Pass.
 */
import { checkSameLength } from '../domain.ts'
import { fsum } from '../fsum.ts'
import type { Groups } from '../interval/pass-estimate.ts'
import { DEFAULT_LEVEL, type Metric } from '../metric.ts'
import { type CaseCost, checkCaseCosts, costOfPassRatio } from './cost-of-pass-ratio.ts'

export interface Frontier {
  /** Mean over the solved cases of the lowest cost of pass; null if no case was solved. */
  readonly value: number | null
  readonly cases: number
  /** The number of cases that at least one subject passed at least once. */
  readonly solved: number
  readonly solvedShare: number
  /**
   * For each case the index of the subject with the lowest cost of pass (the first one if several are
   * equal); null if no subject solved the case.
   */
  readonly choices: readonly (number | null)[]
}

export interface HeldOutFrontier {
  /** Cost per pass of the chosen subjects, measured with trials that were not used for the choice. */
  readonly costOfPass: Metric
  readonly cases: number
  readonly solved: number
  readonly solvedShare: number
  readonly choices: readonly (number | null)[]
}

function checkSubjects(name: string, subjects: readonly (readonly CaseCost[])[]): number {
  const [first, ...others] = subjects
  if (first === undefined) throw new RangeError(`${name} must not be empty`)
  checkCaseCosts(`${name}[0]`, first)
  for (const [i, other] of others.entries()) {
    checkSameLength(`${name}[0]`, first, `${name}[${i + 1}]`, other)
    checkCaseCosts(`${name}[${i + 1}]`, other)
  }
  return first.length
}

/**
 * Returns the frontier over subjects. `subjects[s][i]` has the trials and costs of subject s on
 * case i. The value is too low on average if there are few trials; see {@link frontierHeldOut}.
 *
 * @example
 * const cheap = [{ n: 2, c: 1, cost: 2 }, { n: 2, c: 0, cost: 2 }]
 * const dear = [{ n: 2, c: 2, cost: 8 }, { n: 2, c: 1, cost: 8 }]
 * frontier([cheap, dear]).value // 5: the first case for 2 by cheap, the second for 8 by dear
 */
export function frontier(subjects: readonly (readonly CaseCost[])[]): Frontier {
  const cases = checkSubjects('subjects', subjects)
  const least: number[] = []
  const choices = Array.from({ length: cases }, (_, i) => {
    let choice: number | null = null
    let cheapest = Infinity
    for (const [s, subject] of subjects.entries()) {
      const { c, cost } = subject[i] as CaseCost
      if (c > 0 && cost / c < cheapest) {
        cheapest = cost / c
        choice = s
      }
    }
    if (choice !== null) least.push(cheapest)
    return choice
  })
  const solved = least.length
  return {
    value: solved === 0 ? null : fsum(least) / solved,
    cases,
    solved,
    solvedShare: solved / cases,
    choices,
  }
}

/**
 * Returns the frontier without the winner's curse (see the top of this file). The trials in
 * `select` determine the subject for each case. `estimate` has other trials of the same subjects
 * and cases. They give the cost of a pass of the chosen subjects, as total cost divided by total
 * passes. This is the cost of a rule that can be applied in practice; `frontier` computes the cost
 * of a choice made after seeing the results. `groups[i]` names the group of case i.
 *
 * @example
 * const a = [{ n: 2, c: 1, cost: 2 }, { n: 2, c: 2, cost: 2 }]
 * frontierHeldOut([a], [a]).costOfPass.value // 1.3333333333333333 = 4/3
 */
export function frontierHeldOut(
  select: readonly (readonly CaseCost[])[],
  estimate: readonly (readonly CaseCost[])[],
  level: number = DEFAULT_LEVEL,
  groups?: Groups,
): HeldOutFrontier {
  checkSameLength('select', select, 'estimate', estimate)
  const { cases, solved, solvedShare, choices } = frontier(select)
  checkSubjects('estimate', estimate)
  checkSameLength('cases of select', choices, 'cases of estimate', estimate.at(0) ?? [])
  if (groups) checkSameLength('groups', groups, 'cases of select', choices)
  const chosen = choices.flatMap((s, i) => (s === null ? [] : [estimate[s]?.[i] as CaseCost]))
  const costOfPass: Metric =
    chosen.length === 0
      ? { value: null, reason: 'no case was solved in the selecting trials', n: 0 }
      : costOfPassRatio(
          chosen,
          level,
          1,
          groups?.filter((_, i) => (choices[i] ?? null) !== null),
        )
  return { costOfPass, cases, solved, solvedShare, choices }
}
