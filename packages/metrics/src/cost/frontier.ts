/**
 * What a pass would cost if each case went to the subject that solves it most cheaply: the least
 * cost of pass over subjects per case, then the mean over cases. A case that nobody solved has no
 * such cost; the frontier says what share of the cases it speaks for instead of becoming infinite.
 *
 * The least of several noisy figures lies below the least of the true ones (winner's curse). Trials
 * that chose the subject cannot price it, so `frontierHeldOut` chooses with one half and prices
 * with the other.
 *
 * Source: Erol et al. 2025, Cost-of-Pass.
 */
import { checkSameLength } from '../domain.ts'
import { fsum } from '../fsum.ts'
import { DEFAULT_LEVEL, type Metric } from '../metric.ts'
import { type CaseCost, checkCaseCosts, costOfPassRatio } from './cost-of-pass-ratio.ts'

export interface Frontier {
  /** Mean over the solved cases of the least cost of pass; null when no case was solved. */
  readonly value: number | null
  readonly cases: number
  /** Cases that at least one subject passed at least once. */
  readonly solved: number
  readonly solvedShare: number
  /**
   * For each case the subject with the least cost of pass, the first of equals; null where
   * unsolved.
   */
  readonly choices: readonly (number | null)[]
}

export interface HeldOutFrontier {
  /** Cost per pass of the chosen subjects on the other trials of the cases they were chosen for. */
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
 * The frontier over subjects, `subjects[s][i]` being subject s on case i. Optimistic when trials
 * are few: see {@link frontierHeldOut}.
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
 * The frontier without the winner's curse: `select` chooses the subject of each case, and
 * `estimate`, other trials of the same subjects and cases, says what a pass of the chosen ones
 * costs, as a ratio of totals. It prices a rule that can be followed, where the frontier's own
 * value prices hindsight.
 *
 * @example
 * const a = [{ n: 2, c: 1, cost: 2 }, { n: 2, c: 2, cost: 2 }]
 * frontierHeldOut([a], [a]).costOfPass.value // 1.3333333333333333 = 4/3
 */
export function frontierHeldOut(
  select: readonly (readonly CaseCost[])[],
  estimate: readonly (readonly CaseCost[])[],
  level: number = DEFAULT_LEVEL,
): HeldOutFrontier {
  checkSameLength('select', select, 'estimate', estimate)
  const { cases, solved, solvedShare, choices } = frontier(select)
  checkSubjects('estimate', estimate)
  checkSameLength('cases of select', choices, 'cases of estimate', estimate.at(0) ?? [])
  const chosen = choices.flatMap((s, i) => (s === null ? [] : [estimate[s]?.[i] as CaseCost]))
  const costOfPass: Metric =
    chosen.length === 0
      ? { value: null, reason: 'no case was solved in the selecting trials', n: 0 }
      : costOfPassRatio(chosen, level)
  return { costOfPass, cases, solved, solvedShare, choices }
}
