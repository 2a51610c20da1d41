/** The upper tail of the chi-square distribution: the p-value of a chi-square statistic. */
import { checkBetween, checkNumber } from '../domain.ts'
import { incompleteGammaUpper } from './incomplete-gamma.ts'

/**
 * Returns the probability that a chi-square variable with df > 0 degrees of freedom is above x.
 *
 * @example chiSquareSf(4, 2) // 0.1353352832366127 = e^−2
 */
export function chiSquareSf(x: number, df: number): number {
  checkNumber('x', x, 0)
  checkBetween('df', df, 0, Infinity)
  return incompleteGammaUpper(df / 2, x / 2)
}
