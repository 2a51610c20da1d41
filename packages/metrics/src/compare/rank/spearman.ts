/**
 * Spearman's rho: do two measures put the cases in the same order? Rho is Pearson's correlation of
 * the midranks, which is right with ties. The common short formula 1 − 6 Σd²/(n³ − n), where d is
 * the difference of the two ranks of a case, is wrong with ties.
 *
 * Up to ten pairs the p-value is exact, also with ties. The code counts how many of the n! orders
 * of the ranks have each sum of rank products. It does so by a dynamic programme over subsets, in
 * 2^n · n · S steps, where S is the largest sum. Above ten pairs, the p-value comes from t = rho ·
 * sqrt((n − 2)/(1 − rho²)) with n − 2 degrees of freedom. For rho = ±1, t is infinite, and its p-value
 * would be 0 even if one pair alone decides (ten equal pairs and another one: 1/11). So the p-value is
 * exact there, too. With many ties and a rho near ±1, the p-value of t is too small.
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
  const ranksX = midranks(x).doubled
  const ranksY = midranks(y).doubled
  // The mean of the doubled ranks is n + 1. All sums below are sums of integers, so they are exact.
  const covariance = products(ranksX, ranksY) - n * (n + 1) ** 2
  const varianceX = products(ranksX, ranksX) - n * (n + 1) ** 2
  const varianceY = products(ranksY, ranksY) - n * (n + 1) ** 2
  // The ranks of two measures with rho = ±1 are equal, or mirrored, so their variances are equal.
  const isPerfect = varianceX === varianceY && Math.abs(covariance) === varianceX
  const method = n <= MOST_EXACT || isPerfect ? 'exact' : 't'
  if (varianceX === 0 || varianceY === 0) return { rho: null, p: null, alternative, method, n }
  const size = Math.sqrt(varianceX * varianceY)
  const rho = Math.max(-1, Math.min(1, covariance / size))
  const p =
    n <= MOST_EXACT
      ? exactP(ranksX, ranksY, alternative)
      : isPerfect
        ? perfectP(ranksX, rho, alternative)
        : approximateP(rho, alternative, n)
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

/**
 * Returns the exact p-value of rho = ±1. Of the n! ways to pair the ranks, those that only exchange
 * equal ranks give rho = 1: the product of t! over the groups of t equal ranks. The same number gives
 * rho = −1 if the sizes of the groups read the same in both directions. Otherwise none does.
 */
function perfectP(ranks: readonly number[], rho: number, alternative: Alternative): number {
  if (alternative === (rho > 0 ? 'less' : 'greater')) return 1
  const sizes = [
    ...Map.groupBy(
      ranks.toSorted((a, b) => a - b),
      (rank) => rank,
    ).values(),
  ].map((group) => group.length)
  let share = 1
  let placed = 0
  for (const size of sizes) for (let i = 1; i <= size; i++) share *= i / ++placed
  const isSymmetric = sizes.every((size, i) => size === sizes.at(-1 - i))
  return alternative === 'twoSided' && isSymmetric ? 2 * share : share
}

/** Returns the p-value of t. rho is not ±1. */
function approximateP(rho: number, alternative: Alternative, n: number): number {
  const outside = (r: number): number => tSf(r * Math.sqrt((n - 2) / ((1 - r) * (1 + r))), n - 2)
  if (alternative === 'less') return outside(-rho)
  if (alternative === 'greater') return outside(rho)
  return 2 * outside(Math.abs(rho))
}
