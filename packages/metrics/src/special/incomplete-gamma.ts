/**
 * The regularised incomplete gamma function. For a gamma variable of shape a, the lower tail P(a,
 * x) is the probability of a value up to x. The upper tail is Q(a, x) = 1 − P(a, x). Chi-square and
 * Poisson tails are computed from it.
 *
 * The smaller tail is computed directly, so that it keeps its relative accuracy. The method depends
 * on the arguments:
 * - x below a + 1: the power series for P (Numerical Recipes 6.2);
 * - x above a + 1: the continued fraction for Q (Numerical Recipes 6.2);
 * - a so large that both are slow: numerical integration;
 * - a < 1 and x below a + 1: a series that gives both tails accurately, because Q can be the
 *   smaller tail.
 *
 * Both tails have the factor x^a e^−x/Γ(a), where Γ is the gamma function. The factor is computed
 * from its deviance (Loader 2000). Computed as a difference of logarithms, it would lose one digit
 * for every digit of a.
 */
import { checkBetween, checkNumber } from '../domain.ts'
import { decayIntegral } from './gauss-legendre.ts'
import { logDeficit } from './log-deficit.ts'
import { logGammaOnePlus, stirlingError } from './log-gamma.ts'

const LARGE = 3000

/** Returns the factor x^a e^−x/Γ(a) that both tails have. */
const density = (a: number, x: number): number =>
  Math.sqrt(a / (2 * Math.PI)) * Math.exp(-a * logDeficit((x - a) / a, x / a) - stirlingError(a))

function lowerSeries(a: number, x: number): number {
  let term = 1 / a
  let sum = term
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= x / (a + n)
    sum += term
  }
  return sum
}

function upperFraction(a: number, x: number): number {
  let b = x + 1 - a
  let c = Infinity
  let d = 1 / b
  let value = d
  for (let i = 1; ; i++) {
    const numerator = -i * (i - a)
    b += 2
    d = 1 / (numerator * d + b)
    c = b + numerator / c
    value *= c * d
    if (Math.abs(c * d - 1) < 1.2e-16 || i > 1e5) return value
  }
}

/**
 * Returns the tail below x (if `side` is −1) or above x (if `side` is 1), divided by x^a e^−x/Γ(a).
 * It integrates numerically over the points x(1 ± d). The distance d is in units of x, because 1/x²
 * would overflow for very small x.
 */
function tailByQuadrature(a: number, x: number, side: 1 | -1): number {
  const slope = side * (x - a + 1)
  return decayIntegral(
    (d) => slope * d + (a - 1) * logDeficit(side * d),
    Math.max(0, slope),
    a - 1,
    side < 0 ? 1 : Infinity,
  )
}

interface Tails {
  readonly lower: number
  readonly upper: number
}

/**
 * Computes P(a, x) for a < 1 as x^a/Γ(1 + a) · (1 + S) with the series S = a·Σ (−x)^n/(n!(a + n)).
 * For small a the first factor is close to 1 and S is close to 0. The upper tail is computed from S
 * and from the distance of the first factor from 1. So it does not lose digits.
 */
function bySeries(a: number, x: number): Tails {
  const exponent = a * Math.log(x) - logGammaOnePlus(a)
  let power = 1
  let sum = 0
  for (let n = 1; n < 100; n++) {
    power *= -x / n
    sum += power / (a + n)
  }
  const scale = Math.exp(exponent)
  return { lower: scale + scale * a * sum, upper: -Math.expm1(exponent) - scale * a * sum }
}

function tails(a: number, x: number): Tails {
  if (x === 0) return { lower: 0, upper: 1 }
  const below = x < a + 1
  if (below && a < 1) return bySeries(a, x)
  const scale = density(a, x)
  if (below) {
    const lower = scale * (a > LARGE ? tailByQuadrature(a, x, -1) : lowerSeries(a, x))
    return { lower, upper: 1 - lower }
  }
  const upper = scale * (a > LARGE ? tailByQuadrature(a, x, 1) : upperFraction(a, x))
  return { lower: 1 - upper, upper }
}

function check(a: number, x: number): void {
  checkBetween('a', a, 0, Infinity)
  checkNumber('x', x, 0)
}

/**
 * Returns P(a, x), the probability that a gamma variable of shape a is at most x.
 *
 * @example incompleteGamma(1, 2) // 0.8646647167633873 = 1 − e^−2
 */
export function incompleteGamma(a: number, x: number): number {
  check(a, x)
  return tails(a, x).lower
}

/**
 * Returns Q(a, x) = 1 − P(a, x). A small result has full relative accuracy.
 *
 * @example incompleteGammaUpper(1, 50) // 1.928749847963921e-22 = e^−50
 */
export function incompleteGammaUpper(a: number, x: number): number {
  check(a, x)
  return tails(a, x).upper
}
