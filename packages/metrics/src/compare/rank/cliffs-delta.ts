/**
 * Cliff's delta: the probability that a value of sample x is above a value of sample y, minus the probability that it
 * is below. It is an effect size that does not depend on the unit and assumes no normal distribution. It equals 2 ·
 * superiority − 1, with `superiority` from mannWhitneyU.
 *
 * The dominance of a value is the number of values in the other sample below it minus the number above it. Delta is
 * computed from the dominances. They follow from two ranks of each value: its rank among all values and its rank in its
 * own sample. So the code sorts twice and need not compare all pairs.
 *
 * The interval is the smallest one that contains two published intervals. Each of the two is wrong where the other is
 * right:
 * - Feng and Cliff's interval uses the spread of the observed dominances. It is right if x and y have different
 *   spreads, but far too short near ±1. With 5 values per sample and a true delta of .92, it contains the true value
 *   only 38 % of the time.
 * - Newcombe's fifth method computes the variance at the ends of the interval. It is right near ±1, but too short if x
 *   and y have different spreads and sizes. It then contains the true value only 66 % of the time at worst.
 *
 * In simulations, the combined 95 % interval contained the true value at least 94.7 % of the time with 10 or more
 * values per sample, and 93.0 % at worst (5 values per sample, spreads of 1 and 10). They covered eleven distributions
 * and six sizes from 5 x 5 to 50 x 50.
 *
 * If the values are only passes and failures, delta is the difference of two rates. The combined interval would be up
 * to 2.6 times as wide as necessary, so Newcombe's interval for a difference of rates is used. It contained the true
 * value at least 93.9 % of the time over nine pairs of rates and five sizes.
 *
 * If the values come in groups, such as cases of one repository, the result also contains an interval over groups. It
 * has the form of Feng and Cliff's interval, with a standard error over groups and the quantile of t. Newcombe's
 * methods then count groups instead of values.
 *
 * Source: Cliff 1993; Feng and Cliff 2004; Newcombe 2006, Statistics in Medicine 25:559-573.
 */
import { checkGroup, checkLength, checkLevel, checkNumber, checkSameLength } from '../../domain.ts'
import { fsum } from '../../fsum.ts'
import { type Bounds, DEFAULT_LEVEL } from '../../metric.ts'
import { sumsByGroup } from '../../interval/clustered-se.ts'
import { normalQuantile } from '../../special/normal.ts'
import { tQuantile } from '../../special/student-t.ts'
import { joinRates } from '../../interval/proportion/newcombe.ts'
import { midranks } from './midranks.ts'

export interface CliffsDelta {
  readonly delta: number
  /**
   * The interval for the true delta: the delta of the two populations that the samples x and y come
   * from.
   */
  readonly interval: Bounds
}

/** The groups of the values of x and of y. The same name in both is the same group. */
export interface GroupsOfTwo {
  readonly x: readonly (string | number)[]
  readonly y: readonly (string | number)[]
}

/**
 * Returns delta with its interval. Delta is (pairs with x above y − pairs with x below y) / all
 * pairs.
 *
 * @example cliffsDelta([1, 2, 3], [1, 2, 3]).delta // 0
 */
export function cliffsDelta(
  x: readonly number[],
  y: readonly number[],
  level: number = DEFAULT_LEVEL,
  groups?: GroupsOfTwo,
): CliffsDelta {
  for (const [name, values] of Object.entries({ x, y })) {
    checkLength(name, values)
    for (const value of values) checkNumber(name, value)
  }
  checkLevel(level)
  const pooled = midranks([...x, ...y]).doubled
  const ofX = dominances(pooled.slice(0, x.length), x, y.length)
  const ofY = dominances(pooled.slice(x.length), y, x.length)
  const delta = ofX.reduce((total, d) => total + d, 0) / (x.length * y.length)
  const isBinary = new Set([...x, ...y]).size <= 2
  const z = -normalQuantile((1 - level) / 2)
  if (groups) {
    checkSameLength('groups.x', groups.x, 'x', x)
    checkSameLength('groups.y', groups.y, 'y', y)
    for (const group of [...groups.x, ...groups.y]) checkGroup(group)
    const [ofGroupsX, ofGroupsY] = [new Set(groups.x).size, new Set(groups.y).size]
    const own = isBinary
      ? ofRates(x, y, z, { x: ofGroupsX, y: ofGroupsY })
      : newcombeBounds(delta, ofGroupsX, ofGroupsY, z)
    return { delta, interval: hull(own, overGroups(delta, ofX, ofY, groups, level)) }
  }
  if (isBinary) return { delta, interval: ofRates(x, y, z, { x: x.length, y: y.length }) }
  const newcombe = newcombeBounds(delta, x.length, y.length, z)
  if (Math.abs(delta) === 1 || x.length < 2 || y.length < 2) return { delta, interval: newcombe }
  const se = standardError(delta, ofX, ofY, tiedPairs(x, y))
  return { delta, interval: hull(cliffBounds(delta, z * se), newcombe) }
}

const hull = (a: Bounds, b: Bounds): Bounds => ({
  low: Math.min(a.low, b.low),
  high: Math.max(a.high, b.high),
})

/**
 * Returns the interval over groups. To first order, delta varies like a sum of two means. One is the mean over the
 * values of x of their dominance, divided by the size of y, minus delta. The other is the same for y. The contributions
 * of one group are added before they are squared. So x and y may be the same cases under two conditions. With only one
 * group, the spread between groups is unknown, and the interval is [−1, 1].
 */
function overGroups(
  delta: number,
  ofX: readonly number[],
  ofY: readonly number[],
  { x, y }: GroupsOfTwo,
  level: number,
): Bounds {
  const [nx, ny] = [ofX.length, ofY.length]
  const names = [...x, ...y]
  const influence = sumsByGroup(
    [...ofX.map((d) => (d / ny - delta) / nx), ...ofY.map((d) => (-d / nx - delta) / ny)],
    names,
  )
  const sizes = sumsByGroup(
    names.map(() => 1),
    names,
  )
  const count = influence.length
  if (count < 2) return { low: -1, high: 1 }
  const df = names.length ** 2 / fsum(sizes.map((size) => size * size)) - 1
  const se = Math.sqrt((count / (count - 1)) * fsum(influence.map((d) => d * d)))
  if (Math.abs(delta) === 1) return { low: delta, high: delta }
  const reach = -tQuantile((1 - level) / 2, df) * se
  return Number.isFinite(reach) ? cliffBounds(delta, reach) : { low: -1, high: 1 }
}

/**
 * Returns the interval if there are only two distinct values. Delta is then the rate of the higher
 * value in x minus its rate in y. The rates count as if they came from `sizes` independent values.
 */
function ofRates(
  x: readonly number[],
  y: readonly number[],
  z: number,
  sizes: { readonly x: number; readonly y: number },
): Bounds {
  const highest = [...x, ...y].reduce((most, value) => Math.max(most, value), -Infinity)
  const rateOf = (values: readonly number[]): number =>
    values.filter((value) => value === highest).length / values.length
  return joinRates({ rate: rateOf(y), n: sizes.y }, { rate: rateOf(x), n: sizes.x }, z)
}

/**
 * Returns the dominance of each value: the number of values of the other sample below it minus the
 * number above it.
 */
function dominances(
  pooled: readonly number[],
  own: readonly number[],
  others: number,
): readonly number[] {
  const within = midranks(own).doubled
  return pooled.map((rank, i) => rank - (within[i] as number) - others)
}

function tiedPairs(x: readonly number[], y: readonly number[]): number {
  const times = new Map<number, number>()
  for (const value of x) times.set(value, (times.get(value) ?? 0) + 1)
  return y.reduce((total, value) => total + (times.get(value) ?? 0), 0)
}

/**
 * Returns the standard error of delta: the root of Cliff's unbiased variance, or of the smallest
 * variance possible for delta if that is larger.
 */
function standardError(
  delta: number,
  ofX: readonly number[],
  ofY: readonly number[],
  tied: number,
): number {
  const nx = ofX.length
  const ny = ofY.length
  const pairs = nx * ny
  const rows = fsum(ofX.map((d) => (d - ny * delta) ** 2))
  const columns = fsum(ofY.map((d) => (d + nx * delta) ** 2))
  const cells = pairs - tied - pairs * delta * delta
  const variance = (rows + columns - cells) / (pairs * (nx - 1) * (ny - 1))
  return Math.sqrt(Math.max(variance, (1 - delta * delta) / (pairs - 1)))
}

function cliffBounds(delta: number, reach: number): Bounds {
  const room = 1 - delta * delta
  const half = reach * Math.hypot(room, reach)
  const scale = room + reach * reach
  return { low: (delta * room - half) / scale, high: (delta * room + half) / scale }
}

/**
 * Returns Newcombe's interval. Its ends are the two values theta = (delta + 1)/2 whose distance
 * from the estimate is z standard errors, where the standard error is computed at theta. They are
 * converted back to delta.
 */
function newcombeBounds(delta: number, nx: number, ny: number, z: number): Bounds {
  const estimate = (delta + 1) / 2
  const middle = (nx + ny) / 2 - 1
  const outside = (theta: number): boolean => {
    const inflation = 1 + middle * ((1 - theta) / (2 - theta) + theta / (1 + theta))
    const variance = (theta * (1 - theta) * inflation) / (nx * ny)
    return (theta - estimate) ** 2 > z * z * variance
  }
  return {
    low: 2 * boundary(0, estimate, outside) - 1,
    high: 2 * boundary(1, estimate, outside) - 1,
  }
}

/**
 * Finds the end of the interval between `end`, which is outside the interval, and `inside`.
 * Bisection finds it to the last bit.
 */
function boundary(end: number, inside: number, outside: (theta: number) => boolean): number {
  let [out, into] = [end, inside]
  for (let i = 0; i < 60; i++) {
    const middle = (out + into) / 2
    if (outside(middle)) out = middle
    else into = middle
  }
  return out
}
