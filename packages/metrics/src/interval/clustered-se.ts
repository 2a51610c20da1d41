/**
 * Standard error of the mean of values that come in correlated groups, such as cases made from one
 * template or one repository. The residuals are summed within each group before they are squared,
 * so correlated values do not count as independent ones (Liang and Zeger 1986). For small samples,
 * the variance is multiplied by G/(G − 1) for G groups. This correction is called CR1. The matching
 * t quantile has at most G − 1 degrees of freedom, for any number of cases.
 *
 * If the groups have different sizes, a few large groups make up most of the mean, and the standard
 * error is as uncertain as with a smaller number of groups of equal size. This number is G* = (Σ
 * size)²/Σ size², and G* − 1 degrees of freedom are used. With G − 1, intervals over groups of 1
 * and of 20 cases contained the true mean only 90 % of the time. Source: Carter, Schnepel and
 * Steigerwald 2017 (the effective number of clusters, for clusters that differ only in size).
 */
import { checkGroup, checkLength, checkNumber, checkSameLength } from '../domain.ts'
import { fsum, mean, Sum } from '../fsum.ts'
import type { ResidualPowers } from './skewness-reach.ts'

export interface ClusteredSE {
  readonly mean: number
  readonly se: number
  readonly groups: number
  /** G*: the number of groups of equal size that would give the same precision. */
  readonly effectiveGroups: number
  /**
   * The degrees of freedom, G* − 1. This is the number of groups minus 1 if all groups have the
   * same size.
   */
  readonly df: number
  /**
   * The sums of the squares and of the cubes of the groups' residuals. The cubes show how skewed
   * the residuals are.
   */
  readonly residuals: ResidualPowers
}

/**
 * Returns the mean of the values and its CR1 standard error. `groups[i]` names the group of
 * `values[i]`. If every value is in a separate group, the standard error is sd/√n, where sd is the
 * standard deviation of the n values. The function throws a RangeError if there are fewer than two
 * groups, because one group shows no spread.
 *
 * @example clusteredSE([0, 0, 1, 1], ['a', 'a', 'b', 'b']).se // 0.5
 */
export function clusteredSE(
  values: readonly number[],
  groups: readonly (string | number)[],
): ClusteredSE {
  checkLength('values', values)
  checkSameLength('groups', groups, 'values', values)
  for (const value of values) checkNumber('values', value)
  for (const group of groups) checkGroup(group)
  const centre = mean(values)
  const sums = new Map<string | number, Sum>()
  const sizes = new Map<string | number, number>()
  for (const [i, group] of groups.entries()) {
    const sum = sums.get(group) ?? new Sum()
    sums.set(group, sum.add((values[i] as number) - centre))
    sizes.set(group, (sizes.get(group) ?? 0) + 1)
  }
  const count = sums.size
  if (count < 2) throw new RangeError('groups must name at least 2 groups, got 1')
  const squares = new Sum()
  const cubes = new Sum()
  for (const { value } of sums.values()) {
    squares.add(value * value)
    cubes.add(value * value * value)
  }
  const scale = count / (count - 1)
  const n = values.length
  const effectiveGroups = (n * n) / fsum(Array.from(sizes.values(), (size) => size * size))
  return {
    mean: centre,
    se: Math.sqrt(scale * squares.value) / n,
    groups: count,
    effectiveGroups,
    df: effectiveGroups - 1,
    residuals: { squares: squares.value, cubes: cubes.value },
  }
}

/** Returns the sum of the values of each group, in the order in which the groups first occur. */
export function sumsByGroup(
  values: readonly number[],
  groups: readonly (string | number)[],
): number[] {
  const sums = new Map<string | number, Sum>()
  for (const [i, group] of groups.entries())
    sums.set(group, (sums.get(group) ?? new Sum()).add(values[i] as number))
  return Array.from(sums.values(), (sum) => sum.value)
}
