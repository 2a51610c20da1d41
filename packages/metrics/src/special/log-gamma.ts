/**
 * Logarithms of the gamma and beta functions and of binomial coefficients, for positive arguments.
 *
 * Γ is the gamma function and B the beta function. ln Γ is zero at 1 and 2. Near these points the
 * Taylor series at 2 keeps the relative accuracy. Arguments up to 12 are reduced to that range by
 * the recurrence Γ(x + 1) = xΓ(x). Stirling's series is used above 12. ln B is never computed as a
 * difference of large ln Γ, which would lose digits. Instead, the code uses a formula in which the
 * leading terms of Stirling's series have already been cancelled algebraically. So ln B(1, 1e8) has
 * all digits correct, not only seven.
 *
 * Source: Abramowitz and Stegun 6.1.33 and 6.1.41; DiDonato and Morris 1992, TOMS 708, for ln B.
 */
import { checkBetween, checkInteger } from '../domain.ts'

const HALF_LOG_TWO_PI = 0.9189385332046728
const ONE_MINUS_EULER = 0.42278433509846713

/** From this x on, seven terms of Stirling's series give the result to the last digit. */
const STIRLING_FROM = 12

/**
 * Coefficients of the Taylor series of ln Γ(2 + z): (ζ(j) − 1)/j, where ζ is the Riemann zeta
 * function. They are listed from j = 28 down to 2, the order in which Horner's scheme needs them.
 * Terms with larger j are left out, because they are below 1e-18 at |z| = 1/2.
 */
const ZETA_TERMS: readonly number[] = [
  1.330476437424449e-10, 2.7595228851242334e-10, 5.731367241678862e-10, 1.1921401405860912e-9,
  2.4836745438024785e-9, 5.183475041970047e-9, 1.0838659214896955e-8, 2.2711094608943164e-8,
  4.7698101693639804e-8, 1.0043224823968099e-7, 2.1207184805554665e-7, 4.492469198764566e-7,
  9.55141213040742e-7, 2.039215753801366e-6, 4.374866789907488e-6, 9.439488275268397e-6,
  2.050721277567069e-5, 4.492623673813314e-5, 9.945751278180853e-5, 0.00022315475845357939,
  0.0005096695247430425, 0.001192753911703261, 0.0028905103307415234, 0.007385551028673986,
  0.020580808427784546, 0.0673523010531981, 0.3224670334241132,
]

/** Returns ln Γ(2 + z) for |z| ≤ 1/2. */
function logGammaNearTwo(z: number): number {
  let tail = 0
  for (const term of ZETA_TERMS) tail = term - z * tail
  return z * (ONE_MINUS_EULER + z * tail)
}

/** Returns ln Γ(1 + a) for 0 < a < 1. Computing 1 + a first would lose the last digits of a small a. */
export const logGammaOnePlus = (a: number): number =>
  a < 0.5 ? logGammaNearTwo(a) - Math.log1p(a) : logGamma(1 + a)

/**
 * The coefficients of Stirling's series: B_2j/(2j(2j − 1)), where B_2j is a Bernoulli number, from
 * j = 7 down to 1.
 */
const STIRLING_TERMS: readonly number[] = [
  1 / 156,
  -691 / 360360,
  1 / 1188,
  -1 / 1680,
  1 / 1260,
  -1 / 360,
  1 / 12,
]

function stirlingSeries(x: number): number {
  const perSquare = 1 / (x * x)
  let tail = 0
  for (const term of STIRLING_TERMS) tail = term + perSquare * tail
  return tail / x
}

/**
 * Returns the error of Stirling's formula, which is ln Γ(x) − ((x − 1/2) ln x − x + ln √2π). The
 * error is about 1/(12x), much smaller than ln Γ(x), so sums and differences of such errors keep
 * more digits than those of ln Γ.
 */
export function stirlingError(x: number): number {
  if (x >= STIRLING_FROM) return stirlingSeries(x)
  return logGamma(x) - ((x - 0.5) * Math.log(x) - x + HALF_LOG_TWO_PI)
}

/**
 * Returns ln Γ(x) for x > 0.
 *
 * @example logGamma(0.5) // 0.5723649429247001 = ln √π
 */
export function logGamma(x: number): number {
  checkBetween('x', x, 0, Infinity)
  if (x >= STIRLING_FROM)
    return (x - 0.5) * (Math.log(x) - 1) + (HALF_LOG_TWO_PI - 0.5) + stirlingSeries(x)
  if (x < 0.5) return logGammaOnePlus(x) - Math.log(x)
  if (x < 1.5) return logGammaNearTwo(x - 1) - Math.log1p(x - 1)
  let product = 1
  let rest = x
  while (rest > 2.5) {
    rest -= 1
    product *= rest
  }
  return logGammaNearTwo(rest - 2) + Math.log(product)
}

/**
 * Returns the logarithm of Γ(b)/Γ(b + a). Even for a very small a, its error is small compared with
 * a. The recurrence Γ(b + 1) = bΓ(b) raises b to at least 12. From there on, a formula is used in
 * which the leading terms of Stirling's series have been cancelled algebraically.
 */
export function logGammaRatio(b: number, a: number): number {
  let base = b
  let lifted = 0
  while (base < STIRLING_FROM) {
    lifted += Math.log1p(a / base)
    base += 1
  }
  const sum = base + a
  const errors = stirlingError(base) - stirlingError(sum)
  return lifted + (a - (base - 0.5) * Math.log1p(a / base) - a * Math.log(sum) + errors)
}

/**
 * Returns ln B(a, b) for a, b > 0, where B(a, b) = Γ(a)Γ(b)/Γ(a + b).
 *
 * @example logBeta(2, 3) // -2.484906649788001 = −ln 12
 */
export function logBeta(a: number, b: number): number {
  checkBetween('a', a, 0, Infinity)
  checkBetween('b', b, 0, Infinity)
  const small = Math.min(a, b)
  const large = Math.max(a, b)
  if (small < STIRLING_FROM) return logGamma(small) + logGammaRatio(large, small)
  const sum = a + b
  return (
    (small - 0.5) * Math.log(small / sum) +
    large * Math.log1p(-small / sum) -
    0.5 * Math.log(large) +
    (HALF_LOG_TWO_PI + stirlingError(small) + stirlingError(large) - stirlingError(sum))
  )
}

/**
 * Returns the logarithm of the binomial coefficient C(n, k), the number of ways to choose k of n
 * items.
 *
 * @example logChoose(1000, 500) // 689.4672615678511
 */
export function logChoose(n: number, k: number): number {
  checkInteger('n', n, 0)
  checkInteger('k', k, 0, n)
  if (k === 0 || k === n) return 0
  return -Math.log1p(n) - logBeta(k + 1, n - k + 1)
}
