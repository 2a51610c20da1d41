/**
 * Spearman's rho: do two measures put the cases in the same order? Rho is Pearson's correlation of
 * the midranks, which is right with ties. The common short formula 1 − 6 Σd²/(n³ − n), where d is
 * the difference of the two ranks of a case, is wrong with ties.
 *
 * Up to ten pairs the p-value is exact, also with ties. The code counts how many of the n! orders
 * of the ranks have each sum of rank products. It does so by a dynamic programme over subsets, in
 * 2^n · n · S steps, where S is the largest sum. Above ten pairs, the p-value comes from t = rho ·
 * sqrt((n − 2)/(1 − rho²)) with n − 2 degrees of freedom.
 *
 * Source: Spearman 1904; t form Kendall and Stuart.
 */
import { checkLength, checkNumber, checkSameLength } from '../../domain.ts'
import { tSf } from '../../special/student-t.ts'
import {
  type Alternative,
  atLeastAsFar,
  checkAlternative,
  type Lattice,
  lowerTail,
  upperTail,
} from '../lattice.ts'
import { midranks } from './midranks.ts'

export interface Spearman {
  /**
   * The rank correlation. It is null if all values of x or all values of y are equal, because they
   * then have no order.
   */
  readonly rho: number | null
  readonly p: number | null
  readonly alternative: Alternative
  readonly method: 'exact' | 't'
  readonly n: number
}

const MOST_EXACT = 10

/**
 * Returns the rank correlation of x and y with the p-value of the hypothesis "x and y are
 * unrelated". `greater` tests for a positive correlation.
 *
 * @example spearman([1, 2, 3, 4], [1, 3, 2, 4]).rho // 0.8
 */
export function spearman(
  x: readonly number[],
  y: readonly number[],
  alternative: Alternative = 'twoSided',
): Spearman {
  checkSameLength('x', x, 'y', y)
  checkLength('x', x, 2)
  for (const value of x) checkNumber('x', value)
  for (const value of y) checkNumber('y', value)
  checkAlternative(alternative)
  const n = x.length
  const method = n <= MOST_EXACT ? 'exact' : 't'
  const ranksX = midranks(x).doubled
  const ranksY = midranks(y).doubled
  // The mean of the doubled ranks is n + 1. All sums below are sums of integers, so they are exact.
  const covariance = products(ranksX, ranksY) - n * (n + 1) ** 2
  const varianceX = products(ranksX, ranksX) - n * (n + 1) ** 2
  const varianceY = products(ranksY, ranksY) - n * (n + 1) ** 2
  if (varianceX === 0 || varianceY === 0) return { rho: null, p: null, alternative, method, n }
  const size = Math.sqrt(varianceX * varianceY)
  const rho = Math.max(-1, Math.min(1, covariance / size))
  const p =
    method === 'exact' ? exactP(ranksX, ranksY, alternative) : approximateP(rho, alternative, n)
  return { rho, p, alternative, method, n }
}

function products(a: readonly number[], b: readonly number[]): number {
  return a.reduce((total, value, i) => total + value * (b[i] as number), 0)
}

function exactP(x: readonly number[], y: readonly number[], alternative: Alternative): number {
  const orders = countOrders(x, y)
  const observed = products(x, y)
  if (alternative === 'less') return lowerTail(orders, observed)
  if (alternative === 'greater') return upperTail(orders, observed)
  return atLeastAsFar(orders, observed, x.length * (x.length + 1) ** 2, 1)
}

/**
 * Counts, for each sum of products, how many of the n! ways to pair the ranks y with the ranks x
 * give this sum.
 */
function countOrders(x: readonly number[], y: readonly number[]): Lattice {
  const most = products(
    x.toSorted((a, b) => a - b),
    y.toSorted((a, b) => a - b),
  )
  const span = most + 1
  const handedOut = 2 ** x.length
  const counts = new Float64Array(handedOut * span)
  counts[0] = 1
  for (let set = 0; set < handedOut; set++) {
    // `set` has a bit for each y that is already paired. The x are paired in order, so the index of
    // the next x is the number of these bits.
    const next = x[bits(set)]
    if (next === undefined) continue
    for (const [j, rank] of y.entries()) {
      if (set & (1 << j)) continue
      const gain = next * rank
      const from = set * span
      const to = (set | (1 << j)) * span + gain
      for (let s = 0; s < span - gain; s++)
        counts[to + s] = (counts[to + s] as number) + (counts[from + s] as number)
    }
  }
  return { low: 0, weights: counts.subarray((handedOut - 1) * span) }
}

function bits(set: number): number {
  let count = 0
  for (let rest = set; rest > 0; rest &= rest - 1) count++
  return count
}

function approximateP(rho: number, alternative: Alternative, n: number): number {
  // For rho = ±1, t is infinite. With more than ten pairs, and without ties, the probability of rho
  // = ±1 is at most 2/11! if x and y are unrelated, so a p-value of 0 is close enough.
  const outside = (r: number): number => {
    if (r === 1) return 0
    if (r === -1) return 1
    return tSf(r * Math.sqrt((n - 2) / ((1 - r) * (1 + r))), n - 2)
  }
  if (alternative === 'less') return outside(-rho)
  if (alternative === 'greater') return outside(rho)
  return 2 * outside(Math.abs(rho))
}
