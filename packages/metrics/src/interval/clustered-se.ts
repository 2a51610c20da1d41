/**
 * Standard error of a mean whose members come in groups that share their luck: cases made from one
 * template, or from one repository. The residuals are summed within each group before they are squared,
 * so what moves together counts once (Liang and Zeger 1986). CR1 is the small-sample factor G/(G − 1),
 * and the t quantile that goes with it has G − 1 degrees of freedom, whatever the number of cases.
 */
import { checkLength, checkNumber, checkSameLength } from '../domain.ts'
import { mean, Sum } from '../fsum.ts'

export interface ClusteredSE {
  readonly mean: number
  readonly se: number
  /** Groups − 1. */
  readonly df: number
}

/**
 * Mean of the values and its CR1 standard error; `groups[i]` names the group of `values[i]`. With every
 * value in a group of its own this is sd/√n. One group alone has no spread and is refused.
 *
 * @example clusteredSE([0, 0, 1, 1], ['a', 'a', 'b', 'b']) // { mean: 0.5, se: 0.5, df: 1 }
 */
export function clusteredSE(
  values: readonly number[],
  groups: readonly (string | number)[],
): ClusteredSE {
  checkLength('values', values)
  checkSameLength('groups', groups, 'values', values)
  for (const value of values) checkNumber('values', value)
  const centre = mean(values)
  const sums = new Map<string | number, Sum>()
  for (const [i, group] of groups.entries()) {
    const sum = sums.get(group) ?? new Sum()
    sums.set(group, sum.add((values[i] as number) - centre))
  }
  const count = sums.size
  if (count < 2) throw new RangeError('groups must name at least 2 groups, got 1')
  const squares = new Sum()
  for (const sum of sums.values()) squares.add(sum.value * sum.value)
  const scale = count / (count - 1)
  return { mean: centre, se: Math.sqrt(scale * squares.value) / values.length, df: count - 1 }
}
