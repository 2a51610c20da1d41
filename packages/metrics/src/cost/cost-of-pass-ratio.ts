/**
 * The cost of a pass, R: total cost divided by total passes. This equals the mean cost per trial
 * divided by the pass rate, which is the expected cost if failures are retried until one trial
 * passes. The mean of cost divided by pass rate over single runs would be infinite if one run had
 * no pass. R is finite if at least one trial passed.
 *
 * The interval is computed for ln R and then converted to R. So its ends are positive, and it
 * reaches further up than down, as a skewed ratio needs. log-ratio-interval.ts describes the
 * method.
 *
 * Without any pass, the ratio is infinite, but a lower bound is known. With no pass in m cases, the
 * pass rate is at most 1 − alpha^(1/m) at confidence 1 − alpha, so a pass costs at least the mean
 * cost divided by that rate. m is the number of cases, not of trials: a kind of case that never
 * passes fails in all its trials, so further trials of a case say nothing more about cases like
 * these.
 *
 * If the cases come in groups, the trials of a group are added up, and the groups take the place of
 * the cases in the formulas above.
 *
 * Source: Erol et al. 2025, Cost-of-Pass; Cochran 1977, Sampling Techniques, 6.4 (ratio estimates).
 */
import {
  checkCounts,
  checkGroup,
  checkLength,
  checkLevel,
  checkNumber,
  checkSameLength,
} from '../domain.ts'
import { fsum } from '../fsum.ts'
import { isGrouped, ONE_GROUP } from '../interval/grouped-interval.ts'
import type { Groups } from '../interval/pass-estimate.ts'
import { DEFAULT_LEVEL, type Interval, type IntervalMethod, type Metric } from '../metric.ts'
import { type CaseCost, logRatioBounds } from './log-ratio-interval.ts'

export type { CaseCost } from './log-ratio-interval.ts'

export function checkCaseCosts(name: string, cases: readonly CaseCost[]): void {
  checkLength(name, cases)
  for (const { n, c, cost } of cases) {
    checkCounts(n, c)
    checkNumber('cost', cost, 0)
  }
}

/** Returns one entry per group. It has the sums over the cases of the group. */
export function costsByGroup(cases: readonly CaseCost[], groups: Groups): CaseCost[] {
  const members = Map.groupBy(cases.keys(), (i) => groups[i] as string | number)
  return Array.from(members.values(), (indexes) => {
    const own = indexes.map((i) => cases[i] as CaseCost)
    const total = (pick: (one: CaseCost) => number): number => fsum(own.map(pick))
    return { n: total(({ n }) => n), c: total(({ c }) => c), cost: total(({ cost }) => cost) }
  })
}

/**
 * If the bounds of ln R are closer than this, they differ only by rounding, and no interval is
 * returned.
 */
const ROUNDING = 1e-9

/**
 * Returns the cost per pass over cases like these, Σ cost/Σ passes, with an interval. If nothing
 * passed, the result is `infinite`, and the interval goes from a lower bound of the cost to
 * Infinity. There is no interval, only a reason, if there is only one case or no cost. `effectiveN`
 * says how evenly the cost is distributed over the cases: near 1, almost all of it comes from one
 * case. `groups[i]` names the group of case i. If there are groups, they count instead of the
 * cases.
 *
 * @example costOfPassRatio([{ n: 5, c: 4, cost: 2 }, { n: 5, c: 1, cost: 3 }]).value // 1
 */
export function costOfPassRatio(
  cases: readonly CaseCost[],
  level: number = DEFAULT_LEVEL,
  seed: number = 1,
  groups?: Groups,
): Metric {
  checkCaseCosts('cases', cases)
  checkLevel(level)
  if (groups) {
    checkSameLength('groups', groups, 'cases', cases)
    for (const group of groups) checkGroup(group)
  }
  if (!isGrouped(groups)) return costOfPass(cases, level, seed)
  const units = costsByGroup(cases, groups)
  const { interval, reason, ...rest } = costOfPass(units, level, seed)
  return {
    ...rest,
    n: cases.length,
    groups: units.length,
    ...(reason === undefined ? {} : { reason: units.length === 1 ? ONE_GROUP : reason }),
    ...(interval === undefined ? {} : { interval: { ...interval, method: overGroups(interval) } }),
  }
}

const overGroups = ({ method }: Interval): IntervalMethod =>
  method === 'zero-pass bound over cases'
    ? 'zero-pass bound over groups'
    : 'log ratio: hull of linearised t, bootstrap-t and log-normal model, over groups'

function costOfPass(cases: readonly CaseCost[], level: number, seed: number): Metric {
  const n = cases.length
  const cost = fsum(cases.map((x) => x.cost))
  const passes = fsum(cases.map((x) => x.c))
  const target = 'population'

  if (passes === 0) {
    const meanCost = cost / fsum(cases.map((x) => x.n))
    // The highest plausible pass rate is 1 − alpha^(1/m), where alpha is 1 − level and m the number
    // of cases. It is computed with expm1, because the direct formula loses digits for many cases.
    const mostPassRate = -Math.expm1(Math.log1p(-level) / n)
    const low = meanCost / mostPassRate
    const method = 'zero-pass bound over cases'
    return {
      value: null,
      infinite: true,
      reason: 'no trial passed',
      n,
      interval: { low, high: Infinity, level, method, target },
    }
  }

  const value = cost / passes
  if (cost === 0) return { value, n, reason: 'nothing cost anything, so costs have no spread' }
  if (n === 1) return { value, n, reason: 'one case says nothing about others' }
  const { low, high, se } = logRatioBounds(cases, value, level, seed)
  if (high - low <= ROUNDING)
    return { value, n, reason: 'cost per pass is the same in all cases: no spread was seen' }
  const method = 'log ratio: hull of linearised t, bootstrap-t and log-normal model'
  return {
    value,
    n,
    se: value * se,
    effectiveN: (cost * cost) / fsum(cases.map((x) => x.cost * x.cost)),
    interval: { low: Math.exp(low), high: Math.exp(high), level, method, target },
  }
}
