/**
 * The Mann-Whitney (Wilcoxon rank-sum) test: does a value drawn from x tend to be above one drawn
 * from y? The two samples must be independent. If two subjects answered the same cases, the values
 * are paired, and wilcoxonSignedRank is the right test.
 *
 * The p-value is exact with and without ties. If x and y come from one distribution, every choice
 * of nx of the N midranks is equally likely to be the ranks of x. Here nx is the size of x, N the
 * number of all values, and a midrank is a rank that equal values share. Dynamic programming over
 * (number of ranks chosen, their sum) counts the choices with each rank sum. Without ties, R and
 * scipy give the same exact p-values. With ties, R and scipy use a normal approximation. The
 * two-sided p-value counts all rank sums at least as far from the mean as the observed one.
 *
 * Source: Mann and Whitney 1947; with ties Streitberg and Roehmel 1986 (the shift algorithm).
 */
import { checkLength, checkNumber } from '../../domain.ts'
import { normalSf } from '../../special/normal.ts'
import {
  type Alternative,
  atLeastAsFar,
  checkAlternative,
  type Lattice,
  lowerTail,
  upperTail,
} from '../lattice.ts'
import { midranks } from './midranks.ts'

export interface MannWhitney {
  readonly p: number
  readonly alternative: Alternative
  /**
   * `normal`: p is a normal approximation with tie and continuity correction, because the exact
   * count would take too long.
   */
  readonly method: 'exact' | 'normal'
  /** The number of pairs in which x is above y. Ties count one half. */
  readonly u: number
  /**
   * u as a share of all pairs: the estimated probability that a value of x is above a value of y.
   * One half means no difference.
   */
  readonly superiority: number
}

/**
 * The largest number of steps of the exact count. They take about a tenth of a second. This is
 * enough for two samples of 55 without ties, or for 500 against 10.
 */
const MOST_STEPS = 1e8

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b)
}

const sum = (values: readonly number[]): number => values.reduce((total, v) => total + v, 0)

/**
 * Returns the p-value of the hypothesis "x and y come from one distribution". `greater` tests
 * whether x tends to be above y. If all values are equal, p is 1.
 *
 * @example mannWhitneyU([4, 5, 6], [1, 2, 3]).p // 0.1
 */
export function mannWhitneyU(
  x: readonly number[],
  y: readonly number[],
  alternative: Alternative = 'twoSided',
): MannWhitney {
  for (const [name, values] of Object.entries({ x, y })) {
    checkLength(name, values)
    for (const value of values) checkNumber(name, value)
  }
  checkAlternative(alternative)
  const { doubled, tieSum } = midranks([...x, ...y])
  const pairs = x.length * y.length
  const u = (sum(doubled.slice(0, x.length)) - x.length * (x.length + 1)) / 2
  const exact = exactP(doubled, x.length, alternative)
  return {
    p: exact ?? normalP(u - pairs / 2, x.length, y.length, tieSum, alternative),
    alternative,
    method: exact === null ? 'normal' : 'exact',
    u,
    superiority: u / pairs,
  }
}

/** Returns the exact p-value, or null if the count would take too long. */
function exactP(doubled: readonly number[], nx: number, alternative: Alternative): number | null {
  const all = doubled.length
  const lowest = doubled.reduce((low, rank) => Math.min(low, rank), Infinity)
  const unit = doubled.reduce((common, rank) => gcd(common, rank - lowest), 0)
  if (unit === 0) return 1
  // To make the count short, the ranks are reduced to small integers, which have fewer sums. The
  // code counts the choices for the smaller sample, because it has fewer ranks to choose.
  const ranks = doubled.map((rank) => (rank - lowest) / unit)
  const xIsSmaller = nx <= all - nx
  const size = Math.min(nx, all - nx)
  const sorted = ranks.toSorted((a, b) => a - b)
  const most = sum(sorted.slice(all - size))
  if (all * size * (most + 1) > MOST_STEPS) return null

  const choices = countChoices(sorted, size, most)
  const observed = sum(xIsSmaller ? ranks.slice(0, nx) : ranks.slice(nx))
  if (alternative === 'twoSided') return atLeastAsFar(choices, observed, size * sum(ranks), all)
  // If the sums are those of y, a large sum means that x is small, so the tail is reversed.
  return (alternative === 'greater') === xIsSmaller
    ? upperTail(choices, observed)
    : lowerTail(choices, observed)
}

/** Counts, for each sum up to `most`, the number of ways to choose `size` ranks with that sum. */
function countChoices(ranks: readonly number[], size: number, most: number): Lattice {
  const span = most + 1
  const counts = new Float64Array((size + 1) * span)
  counts[0] = 1
  for (const [i, rank] of ranks.entries())
    for (let taken = Math.min(i + 1, size); taken >= 1; taken--) {
      const from = (taken - 1) * span
      const to = taken * span + rank
      for (let s = 0; s < span - rank; s++)
        counts[to + s] = (counts[to + s] as number) + (counts[from + s] as number)
    }
  return { low: 0, weights: counts.subarray(size * span) }
}

function normalP(
  excess: number,
  nx: number,
  ny: number,
  tieSum: number,
  alternative: Alternative,
): number {
  const all = nx + ny
  const sd = Math.sqrt(((nx * ny) / 12) * (all + 1 - tieSum / (all * (all - 1))))
  if (alternative === 'less') return normalSf((-excess - 0.5) / sd)
  if (alternative === 'greater') return normalSf((excess - 0.5) / sd)
  return Math.min(1, 2 * normalSf((Math.abs(excess) - 0.5) / sd))
}
