/**
 * The regularised incomplete beta function I_x(a, b), its complement and its inverse. Binomial tails,
 * exact intervals and Student's t are computed from it.
 *
 * Here a and b are the parameters of a beta distribution. I_x(a, b) is its lower tail, the probability of a value up to
 * x. The upper tail is 1 − I_x(a, b). If x is below the mean, the lower tail is computed directly. Otherwise the upper
 * tail is computed directly. The tail that is computed directly keeps its relative accuracy however small it is. The
 * other tail is 1 minus it.
 *
 * The direct tail is the product of two factors. The first, x^a (1−x)^b/B(a, b), is the density of
 * logit x = ln(x/(1−x)), and B is the beta function. This factor is computed from its deviance
 * (Loader 2000), which depends on λ = (a + b)x − a, and λ is computed without rounding. With plain
 * logarithms and a = 1e8, only eight digits of the factor would be correct. The second factor, the
 * tail divided by the first factor, is computed in one of three ways:
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
 * Returns p·q + r without rounding the product first (Veltkamp and Dekker). JavaScript has no such
 * instruction (fused multiply-add).
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

/**
 * Returns λ = (a + b)x − a, which is negative below the mean. It is computed from the smaller of x
 * and y = 1 − x, because the smaller one has more exact digits.
 */
function distanceFromMean({ x, y }: UnitPoint, a: number, b: number): number {
  const sum = a + b
  const lost = Math.abs(a) > Math.abs(b) ? a - sum + b : b - sum + a
  return x <= y ? multiplyAdd(sum, x, -a) + lost * x : -(multiplyAdd(sum, y, -b) + lost * y)
}

/**
 * The value factor · e^exponent. The two fields are kept separate, so that the logarithm of the
 * value is right even if the value is too small for a double.
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

/** Returns the density of logit x, which is x^a y^b/B(a, b). */
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
 * Returns I_x(a, b) divided by x^a y^b/B(a, b). The modified Lentz algorithm evaluates the
 * continued fraction. No check for a division by 0 is needed: for 0 < x < 1 no denominator is 0.
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
    // The factor c·d can stay at the largest double below 1, so the limit must be above 2^−53. The
    // bound on m is only a safeguard: if a or b is at most LARGE, m never reaches it.
    if (Math.abs(c * d - 1) < 1.2e-16 || m > 1e5) return 1 / value
  }
}

/**
 * Returns the same ratio as `byFraction`, by numerical integration over the points x(1 − d). The
 * first-order terms of the log-density are computed from λ, which has no rounding error. The
 * distance d is in units of x, because 1/x² would overflow for very small x.
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
 * Computes I_x(a, b) for a < 1 as x^a/(a·B(a, b)) · (1 + S) with the series S = a·Σ (1−b)…(n−b)/n!
 * · x^n/(a + n). For small a the first factor is close to 1 and S is close to 0. The complement 1 −
 * I_x(a, b) is computed from S and from the distance of the first factor from 1. So it does not
 * lose digits.
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

/** Computes I_x(a, b) and its complement for a point below the mean. */
function lowerTail(point: UnitPoint, shape: Shape, lambda: number): Split {
  const { a, b } = shape
  if (a < 1) return bySeries(point, a, b)
  const { exponent, factor } = logitDensity(point, shape, lambda)
  const ratio =
    Math.min(a, b) > LARGE ? byQuadrature(point, a, b, lambda) : byFraction(point.x, a, b, lambda)
  const tail = { exponent, factor: factor * ratio }
  return { tail, rest: 1 - valueOf(tail), ratio }
}

/**
 * Computes one tail directly and the other as its complement. `lower` says whether the direct tail
 * is the lower one.
 */
function directTail(point: UnitPoint, shape: Shape): Split & { readonly lower: boolean } {
  const { a, b, errors } = shape
  const lambda = distanceFromMean(point, a, b)
  if (lambda + 2 * point.x < 1) return { lower: true, ...lowerTail(point, shape, lambda) }
  const mirrored = { x: point.y, y: point.x }
  return { lower: false, ...lowerTail(mirrored, { a: b, b: a, errors }, -lambda) }
}

/** Returns I_x(a, b) at a point given by x and y = 1 − x. */
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
 * Returns I_x(a, b), the probability that a beta(a, b) variable is at most x.
 *
 * @example incompleteBeta(0.5, 2, 3) // 0.6874999999999998, 11/16 to the last digit but one
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  checkNumber('x', x, 0, 1)
  check(a, b)
  return incompleteBetaAt({ x, y: 1 - x }, a, b)
}

/**
 * Returns 1 − I_x(a, b), the probability that a beta(a, b) variable is above x. A small result has
 * full relative accuracy.
 *
 * @example incompleteBetaUpper(0.75, 2, 3) // 0.05078125000000001, 13/256
 */
export function incompleteBetaUpper(x: number, a: number, b: number): number {
  checkNumber('x', x, 0, 1)
  check(a, b)
  return incompleteBetaAt({ x: 1 - x, y: x }, b, a)
}

/**
 * Returns ln I_x(a, b) and its derivative with respect to logit x. The logarithm is finite even
 * where I_x(a, b) is too small for a double.
 */
function logLower(point: UnitPoint, shape: Shape): { log: number; slope: number } {
  const { lower, tail, rest, ratio } = directTail(point, shape)
  return lower
    ? { log: logOf(tail), slope: 1 / ratio }
    : { log: Math.log(rest), slope: valueOf(tail) / ratio / rest }
}

const SMALLEST = 2.2250738585072014e-308

/**
 * Returns the point where Newton's method starts. This is the mean. If a and b are large enough for
 * a bell-shaped density, the start is moved by the normal quantile of p, so that fewer steps are
 * needed.
 */
function firstGuess(p: number, a: number, b: number): UnitPoint {
  const spread = Math.sqrt(1 / a + 1 / b)
  const factor = spread < 1.5 ? Math.exp(spread * normalQuantile(p)) : 1
  return { x: (a * factor) / (a * factor + b), y: b / (a * factor + b) }
}

/**
 * Finds the point whose lower tail is p, for p ≤ 1/2, by Newton's method on ln I_x(a, b) as a
 * function of logit x.
 */
function pointWithLowerTail(p: number, a: number, b: number): UnitPoint {
  const target = Math.log(p)
  const shape = shapeOf(a, b)
  let { x, y } = firstGuess(p, a, b)
  for (let i = 0; i < 200; i++) {
    const { log, slope } = logLower({ x, y }, shape)
    const missing = target - log
    const newton = missing / slope
    // The second derivative of ln I_x(a, b) with respect to logit x is slope · (−λ − slope). If its
    // effect on this step is small, the step is Halley's, which uses this derivative. Otherwise the
    // step is Newton's.
    const bend = (newton * (a * y - b * x - slope)) / 2
    const moved = x * Math.exp(Math.abs(bend) < 0.3 ? newton / (1 + bend) : newton)
    // A step that is too long can leave the range of doubles, so x is kept inside that range. If
    // the root itself is outside it, the result is x = 0 or x = 1.
    if (moved < SMALLEST && x <= SMALLEST) return { x: 0, y: 1 }
    const next = Math.max(moved, SMALLEST)
    const total = y + next
    if (y / total < SMALLEST) return { x: 1, y: 0 }
    x = next / total
    y /= total
    // `missing` is the error before this step. The step reduced it to about its cube, which is
    // below the precision of a double, so no further step is needed.
    if (Math.abs(missing) < 1e-6) break
  }
  return { x, y }
}

/** Returns the point whose lower tail is p and whose upper tail is q = 1 − p. */
export function betaQuantilePoint(p: number, q: number, a: number, b: number): UnitPoint {
  if (p <= 0) return { x: 0, y: 1 }
  if (q <= 0) return { x: 1, y: 0 }
  if (p <= q) return pointWithLowerTail(p, a, b)
  const mirrored = pointWithLowerTail(q, b, a)
  return { x: mirrored.y, y: mirrored.x }
}

/**
 * Returns the x with I_x(a, b) = p. If this x is too close to 0 or 1 for a double, the result is 0
 * or 1.
 *
 * @example inverseIncompleteBeta(0.025, 5, 1) // 0.4781762498950186, 0.025^(1/5)
 */
export function inverseIncompleteBeta(p: number, a: number, b: number): number {
  checkNumber('p', p, 0, 1)
  check(a, b)
  return betaQuantilePoint(p, 1 - p, a, b).x
}
