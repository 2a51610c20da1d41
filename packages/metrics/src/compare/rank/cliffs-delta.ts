/**
 * Cliff's delta: the chance that a value of x is above one of y, minus the chance that it is below.
 * An effect size that needs no unit and no normal distribution; delta = 2 · superiority − 1.
 *
 * A value's dominance over the other sample is its rank among all minus its rank among its own, so
 * two sorts do what all pairs would. The interval is the hull of two, since each fails where the
 * other holds: Feng and Cliff's uses the observed dominances, right for unequal spreads but far too
 * short near ±1 and a point at ±1 (covers 38 % of the time at 5 against 5 with a truth of .92);
 * Newcombe's fifth method solves a variance formula at the boundary, right at ±1 but short when
 * spreads and sizes differ (66 % at worst). Over eleven shapes (normal, skewed, bimodal, binary,
 * rates of five) and six sizes from 5 x 5 to 50 x 50 the hull of the nominal 95 % intervals covered
 * 93.0 % at worst (5 x 5 with spreads of 1 to 10) and at least 94.7 % from 10 values a side on.
 *
 * Source: Cliff 1993; Feng and Cliff 2004; Newcombe 2006, Statistics in Medicine 25:559-573.
 */
import { checkBetween, checkLength, checkNumber } from '../../domain.ts'
import { fsum } from '../../fsum.ts'
import { type Bounds, DEFAULT_LEVEL } from '../../metric.ts'
import { normalQuantile } from '../../special/normal.ts'
import { midranks } from './midranks.ts'

export interface CliffsDelta {
  readonly delta: number
  /** About new values of both samples; x and y independent. */
  readonly interval: Bounds
}

/**
 * (pairs with x above y − pairs with x below y) / all pairs, with its interval.
 *
 * @example cliffsDelta([1, 2, 3], [1, 2, 3]).delta // 0
 */
export function cliffsDelta(
  x: readonly number[],
  y: readonly number[],
  level: number = DEFAULT_LEVEL,
): CliffsDelta {
  for (const [name, values] of Object.entries({ x, y })) {
    checkLength(name, values)
    for (const value of values) checkNumber(name, value)
  }
  checkBetween('level', level, 0, 1)
  const pooled = midranks([...x, ...y]).doubled
  const ofX = dominances(pooled.slice(0, x.length), x, y.length)
  const ofY = dominances(pooled.slice(x.length), y, x.length)
  const delta = ofX.reduce((total, d) => total + d, 0) / (x.length * y.length)
  const z = -normalQuantile((1 - level) / 2)
  const newcombe = newcombeBounds(delta, x.length, y.length, z)
  if (Math.abs(delta) === 1 || x.length < 2 || y.length < 2) return { delta, interval: newcombe }
  const se = standardError(delta, ofX, ofY, tiedPairs(x, y))
  const cliff = cliffBounds(delta, z * se)
  const interval = {
    low: Math.min(cliff.low, newcombe.low),
    high: Math.max(cliff.high, newcombe.high),
  }
  return { delta, interval }
}

/** Per value: how many of the other sample are below it minus how many are above. */
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

/** Cliff's unbiased variance of delta, at least the least that a delta of this size can have. */
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
 * Where |theta − estimate| is z standard errors of theta, theta = (delta + 1)/2, on either side.
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
 * The point between an end that is outside and an estimate that is inside, by halving to the last
 * bit.
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
