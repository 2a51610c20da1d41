/**
 * The regularised incomplete beta function I_x(a, b), its complement and its inverse. Binomial tails,
 * exact intervals and Student's t are computed from it.
 *
 * If x is below the mean, the lower tail is computed directly, otherwise the upper tail. The direct
 * tail keeps its relative accuracy however small it is. The opposite tail is 1 minus the direct one.
 *
 * The direct tail is the product of two factors. The first, x^a (1−x)^b/B(a, b), is computed from its
 * deviance (Loader 2000), which depends on λ = (a + b)x − a. λ is computed without rounding. With
 * plain logarithms and a = 1e8, only eight digits would be correct. The second factor is computed in
 * one of three ways:
 * - usually by the continued fraction of DiDonato and Morris 1992 (eq. 9), whose terms are all
 *   positive where it is used;
 * - by numerical integration if a and b are both so large that the fraction is slow;
 * - by a power series if a < 1. Then the upper tail can be the small one even below the mean, and the
 *   series gives both tails accurately.
 *
 * The inverse applies Newton's method to the logarithm of the smaller tail as a function of logit x.
 * In that variable the density x^a (1−x)^b is log-concave for all a and b. So both tails are
 * log-concave too, and Newton's method on a concave function converges from every start. Near the
 * root, Halley's correction is added, which triples the number of correct digits per step. x and
 * 1 − x are kept as two numbers, because 1 − x computed from x loses digits when x is close to 1.
 */
import { checkBetween, checkNumber } from '../domain.ts'
import { decayIntegral } from './gauss-legendre.ts'
import { logDeficit } from './log-deficit.ts'
import { logGammaOnePlus, logGammaRatio, stirlingError } from './log-gamma.ts'
import { normalQuantile } from './normal.ts'

/** A point x of the unit interval and y = 1 − x, each with full relative accuracy. */
export interface UnitPoint {
  readonly x: number
  readonly y: number
}

/** If both a and b are above this, numerical integration is faster than the continued fraction. */
const LARGE = 3000

/**
 * p·q + r without rounding the product (Veltkamp and Dekker). JavaScript has no fused multiply-add.
 */
function multiplyAdd(p: number, q: number, r: number): number {
  const split = 134217729
  const ph = split * p - (split * p - p)
  const qh = split * q - (split * q - q)
  const pl = p - ph
  const ql = q - qh
  const product = p * q
  const lost = ph * qh - product + ph * ql + pl * qh + pl * ql
  return product + r + lost
}

/** λ = (a + b)x − a, computed from the smaller of x and 1 − x, which has more exact digits. */
function distanceFromMean({ x, y }: UnitPoint, a: number, b: number): number {
  const sum = a + b
  const lost = Math.abs(a) > Math.abs(b) ? a - sum + b : b - sum + a
  return x <= y ? multiplyAdd(sum, x, -a) + lost * x : -(multiplyAdd(sum, y, -b) + lost * y)
}

/**
 * A value factor · e^exponent. With separate fields, its logarithm is right even if it underflows.
 */
interface Tail {
  readonly exponent: number
  readonly factor: number
}

const valueOf = ({ exponent, factor }: Tail): number => Math.exp(exponent) * factor
const logOf = ({ exponent, factor }: Tail): number => exponent + Math.log(factor)

/**
 * The parameters of a beta distribution. `errors` is the error of Stirling's formula for ln B(a, b).
 * It is the same if a and b are swapped.
 */
interface Shape {
  readonly a: number
  readonly b: number
  readonly errors: number
}

const shapeOf = (a: number, b: number): Shape => ({
  a,
  b,
  errors: stirlingError(a) + stirlingError(b) - stirlingError(a + b),
})

/** x^a y^b/B(a, b), the density of logit x. */
function logitDensity({ x, y }: UnitPoint, { a, b, errors }: Shape, lambda: number): Tail {
  const sum = a + b
  const deviance =
    a * logDeficit(lambda / a, (x / a) * sum) + b * logDeficit(-lambda / b, (y / b) * sum)
  return {
    exponent: -deviance - errors,
    factor: Math.sqrt(a / (2 * Math.PI)) * Math.sqrt(b / sum),
  }
}

/**
 * I_x(a, b) divided by x^a y^b/B(a, b), by the continued fraction (modified Lentz algorithm). For
 * 0 < x < 1 none of its convergents has a zero denominator.
 */
function byFraction(x: number, a: number, b: number, lambda: number): number {
  let value = (a * (1 - lambda)) / (a + 1)
  let c = value
  let d = 0
  for (let m = 1; ; m++) {
    const odd = a + 2 * m - 1
    const shrink = (m * (b - m) * x) / odd
    const numerator = ((a + m - 1) * (a + b + m - 1) * shrink * x) / odd
    const denominator = m + shrink + ((a + m) * (1 - lambda + m * (2 - x))) / (a + 2 * m + 1)
    d = 1 / (denominator + numerator * d)
    c = denominator + numerator / c
    value *= c * d
    // c·d can stay at the double just below 1, so the limit is above 2^−53. If a or b is at most
    // LARGE, m never reaches its bound.
    if (Math.abs(c * d - 1) < 1.2e-16 || m > 1e5) return 1 / value
  }
}

/**
 * The same ratio as `byFraction`, by numerical integration over t = x(1 − d). λ contains the
 * first-order terms of the log-density. The distance d is in units of x, because 1/x² would overflow
 * for very small x.
 */
function byQuadrature({ x, y }: UnitPoint, a: number, b: number, lambda: number): number {
  const slope = -(lambda + y - x) / y
  const odds = x / y
  const integral = decayIntegral(
    (d) => slope * d + (a - 1) * logDeficit(-d) + (b - 1) * logDeficit(d * odds),
    Math.max(0, slope),
    a - 1 + (b - 1) * odds * odds,
    1,
  )
  return integral / y
}

/** `tail` is I_x(a, b), `rest` is 1 − I_x(a, b), and `ratio` is I_x(a, b) / (x^a y^b/B(a, b)). */
interface Split {
  readonly tail: Tail
  readonly rest: number
  readonly ratio: number
}

/**
 * For a < 1: x^a/(a·B(a, b)) · (1 + S) with S = a·Σ (1−b)…(n−b)/n! · x^n/(a + n). For small a the
 * first factor is close to 1 and S is close to 0. The complement is computed from the first factor's
 * distance from 1 and from S, so it does not lose digits.
 */
function bySeries({ x, y }: UnitPoint, a: number, b: number): Split {
  const exponent = a * Math.log(x) - logGammaOnePlus(a) - logGammaRatio(b, a)
  let coefficient = 1
  let sum = 0
  for (let n = 1; ; n++) {
    coefficient *= ((n - b) / n) * x
    const term = coefficient / (a + n)
    sum += term
    if (Math.abs(term) <= 1e-17 * Math.abs(sum) || n > 1e5) break
  }
  const excess = a * sum
  return {
    tail: { exponent, factor: 1 + excess },
    rest: -Math.expm1(exponent) - Math.exp(exponent) * excess,
    ratio: (1 + excess) / (a * y ** b),
  }
}

/** I_x(a, b) for a point below the mean. */
function lowerTail(point: UnitPoint, shape: Shape, lambda: number): Split {
  const { a, b } = shape
  if (a < 1) return bySeries(point, a, b)
  const { exponent, factor } = logitDensity(point, shape, lambda)
  const ratio =
    Math.min(a, b) > LARGE ? byQuadrature(point, a, b, lambda) : byFraction(point.x, a, b, lambda)
  const tail = { exponent, factor: factor * ratio }
  return { tail, rest: 1 - valueOf(tail), ratio }
}

/** The tail that is computed directly. `lower` says whether it is the lower one. */
function directTail(point: UnitPoint, shape: Shape): Split & { readonly lower: boolean } {
  const { a, b, errors } = shape
  const lambda = distanceFromMean(point, a, b)
  if (lambda + 2 * point.x < 1) return { lower: true, ...lowerTail(point, shape, lambda) }
  const mirrored = { x: point.y, y: point.x }
  return { lower: false, ...lowerTail(mirrored, { a: b, b: a, errors }, -lambda) }
}

/** I_x(a, b) at a point given by x and 1 − x. */
export function incompleteBetaAt(point: UnitPoint, a: number, b: number): number {
  if (point.x <= 0) return 0
  if (point.y <= 0) return 1
  const { lower, tail, rest } = directTail(point, shapeOf(a, b))
  return lower ? valueOf(tail) : rest
}

function check(a: number, b: number): void {
  checkBetween('a', a, 0, Infinity)
  checkBetween('b', b, 0, Infinity)
}

/**
 * I_x(a, b): the chance that a beta(a, b) variable is at most x.
 *
 * @example incompleteBeta(0.5, 2, 3) // 0.6874999999999998, 11/16 to the last digit but one
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  checkNumber('x', x, 0, 1)
  check(a, b)
  return incompleteBetaAt({ x, y: 1 - x }, a, b)
}

/**
 * 1 − I_x(a, b), with full relative accuracy where it is small.
 *
 * @example incompleteBetaUpper(0.75, 2, 3) // 0.05078125000000001, 13/256
 */
export function incompleteBetaUpper(x: number, a: number, b: number): number {
  checkNumber('x', x, 0, 1)
  check(a, b)
  return incompleteBetaAt({ x: 1 - x, y: x }, b, a)
}

/** ln I_x(a, b) and its derivative by logit x. The logarithm is finite even where I underflows. */
function logLower(point: UnitPoint, shape: Shape): { log: number; slope: number } {
  const { lower, tail, rest, ratio } = directTail(point, shape)
  return lower
    ? { log: logOf(tail), slope: 1 / ratio }
    : { log: Math.log(rest), slope: valueOf(tail) / ratio / rest }
}

const SMALLEST = 2.2250738585072014e-308

/**
 * The start of the iteration: the mean. If a and b are large enough for a bell-shaped density, the
 * start is moved by the normal quantile of p.
 */
function firstGuess(p: number, a: number, b: number): UnitPoint {
  const spread = Math.sqrt(1 / a + 1 / b)
  const factor = spread < 1.5 ? Math.exp(spread * normalQuantile(p)) : 1
  return { x: (a * factor) / (a * factor + b), y: b / (a * factor + b) }
}

/** The point whose lower tail is p ≤ 1/2, by Newton's method on ln I as a function of logit x. */
function pointWithLowerTail(p: number, a: number, b: number): UnitPoint {
  const target = Math.log(p)
  const shape = shapeOf(a, b)
  let { x, y } = firstGuess(p, a, b)
  for (let i = 0; i < 200; i++) {
    const { log, slope } = logLower({ x, y }, shape)
    const missing = target - log
    const newton = missing / slope
    // The second derivative of ln I by logit x is slope · (−λ − slope). If its effect on this step is
    // small, Halley's step takes it into account.
    const bend = (newton * (a * y - b * x - slope)) / 2
    const moved = x * Math.exp(Math.abs(bend) < 0.3 ? newton / (1 + bend) : newton)
    // A step that is too long can leave the range of doubles. If the root itself is outside that
    // range, the answer is 0 or 1.
    if (moved < SMALLEST && x <= SMALLEST) return { x: 0, y: 1 }
    const next = Math.max(moved, SMALLEST)
    const total = y + next
    if (y / total < SMALLEST) return { x: 1, y: 0 }
    x = next / total
    y /= total
    // The step just made cubed this error, so no further step is needed.
    if (Math.abs(missing) < 1e-6) break
  }
  return { x, y }
}

/** The point whose lower tail is p and whose upper tail is q = 1 − p. */
export function betaQuantilePoint(p: number, q: number, a: number, b: number): UnitPoint {
  if (p <= 0) return { x: 0, y: 1 }
  if (q <= 0) return { x: 1, y: 0 }
  if (p <= q) return pointWithLowerTail(p, a, b)
  const mirrored = pointWithLowerTail(q, b, a)
  return { x: mirrored.y, y: mirrored.x }
}

/**
 * The x with I_x(a, b) = p. The result is 0 or 1 if x is too close to it for a double.
 *
 * @example inverseIncompleteBeta(0.025, 5, 1) // 0.4781762498950186, 0.025^(1/5)
 */
export function inverseIncompleteBeta(p: number, a: number, b: number): number {
  checkNumber('p', p, 0, 1)
  check(a, b)
  return betaQuantilePoint(p, 1 - p, a, b).x
}
