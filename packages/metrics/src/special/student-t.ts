/**
 * Student's t distribution: tails and quantile, from the incomplete beta function. With df degrees
 * of freedom, the argument of that function is df/(df + t²). The argument and its complement t²/(df
 * + t²) are computed separately, because 1 minus the argument would lose digits in the tails or
 * near t = 0.
 */
import { checkBetween, checkNumber } from '../domain.ts'
import { betaQuantilePoint, incompleteBetaAt } from './incomplete-beta.ts'
import { logBeta } from './log-gamma.ts'

/**
 * For t above FAR · √df, t² could overflow. There the tail is computed from its leading power of t,
 * which equals the tail in double precision.
 */
const FAR = 1e140

/**
 * For s = t/√df above FAR, P(|T| > t) is s^−df/(df/2 · B(df/2, 1/2)). This function returns the
 * logarithm of the divisor.
 */
const logFarDivisor = (df: number): number => Math.log(df / 2) + logBeta(df / 2, 0.5)

/** Returns P(T > t) for t ≥ 0. */
function upperTail(t: number, df: number): number {
  const scaled = t / Math.sqrt(df)
  if (scaled > FAR) return 0.5 * Math.exp(-df * Math.log(scaled) - logFarDivisor(df))
  const square = scaled * scaled
  const point = { x: 1 / (1 + square), y: square / (1 + square) }
  return 0.5 * incompleteBetaAt(point, df / 2, 0.5)
}

/**
 * Returns P(T > t), where T has a t distribution with df > 0 degrees of freedom, with full relative
 * accuracy in the upper tail.
 *
 * @example tSf(2.0930240544083087, 19) // 0.025000000000000026
 */
export function tSf(t: number, df: number): number {
  checkNumber('t', t)
  checkBetween('df', df, 0, Infinity)
  return t >= 0 ? upperTail(t, df) : 1 - upperTail(-t, df)
}

/**
 * Returns P(T ≤ t), with full relative accuracy in the lower tail.
 *
 * @example tCdf(1, 1) // 0.7500000000000001, 3/4
 */
export function tCdf(t: number, df: number): number {
  return tSf(-t, df)
}

/**
 * Returns the t with P(T ≤ t) = p. The result is ±Infinity only if t is too large for a double, for
 * example for p = 1e-300 with df < 1.
 *
 * @example tQuantile(0.975, 19) // 2.0930240544083087
 */
export function tQuantile(p: number, df: number): number {
  checkBetween('p', p, 0, 1)
  checkBetween('df', df, 0, Infinity)
  const outside = 2 * Math.min(p, 1 - p)
  const inside = 2 * Math.abs(p - 0.5)
  const { x, y } = betaQuantilePoint(outside, inside, df / 2, 0.5)
  const scaled =
    x * FAR * FAR < 1 ? Math.exp(-(Math.log(outside) + logFarDivisor(df)) / df) : Math.sqrt(y / x)
  const size = Math.sqrt(df) * scaled
  return p < 0.5 ? -size : size
}
