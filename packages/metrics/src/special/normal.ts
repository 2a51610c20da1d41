/**
 * The standard normal distribution: both tails and the quantile, accurate to the last digits, also
 * for tails as small as the smallest double.
 *
 * The upper tail is e^(−z²/2) times a smooth function. One Chebyshev series approximates that
 * function for all z ≥ 0 (Shepherd and Laframboise 1981). Its coefficients were computed for this
 * file with 60 digits, in the variable t = (x − 4)/(x + 4) with x = z/√2.
 *
 * The quantile in the tails starts from a published approximation (Abramowitz and Stegun 26.2.23,
 * within 4.5e-4). Two Halley steps refine it. Each step triples the number of correct digits.
 */
import { checkBetween, checkNumber } from '../domain.ts'

const SQRT_TWO_PI = 2.5066282746310007

/**
 * Chebyshev coefficients of (1 + 2x) e^(x²) erfc(x) as a function of t, where erfc is the
 * complementary error function. The tail P(Z > z) is erfc(x)/2 with x = z/√2.
 */
const TAIL: readonly number[] = [
  1.1774832005374487, -0.007260796620301901, -0.081265123236185, 0.06009212804122225,
  -0.02875393558027666, 0.01059566336347286, -0.003136927294554264, 0.0007456494372536184,
  -0.0001369696503010054, 1.7183861600300937e-5, -7.158364623450346e-7, -2.4261399442449534e-7,
  5.5765709395703566e-8, -2.1057869513809494e-9, -1.1717889351884957e-9, 1.9098355172456688e-10,
  1.408871764208813e-11, -6.901108320480815e-12, 9.167958364111294e-14, 2.1454508286554553e-13,
  -1.4716575027010623e-14, -6.668675118770408e-15, 7.504598509880083e-16, 2.22009300666632e-16,
  -3.1704898956330886e-17, -8.193570309884333e-18,
]

/**
 * Returns e^(z²/2) · P(Z > z) for z ≥ 0, where Z is a standard normal variable. This is the upper
 * tail without its steep factor e^(−z²/2).
 */
function scaledTail(z: number): number {
  const x = z * Math.SQRT1_2
  const t = (x - 4) / (x + 4)
  let current = 0
  let next = 0
  for (let i = TAIL.length - 1; i > 0; i--) {
    const previous = 2 * t * current - next + (TAIL[i] as number)
    next = current
    current = previous
  }
  return (t * current - next + (TAIL[0] as number)) / (2 + 4 * x)
}

/**
 * Returns e^(−z²/2). The exponential would magnify the rounding error of z². So z² is split into an
 * exact square and a small remainder.
 */
function gaussian(z: number): number {
  const coarse = Math.trunc(z * 16) / 16
  return Math.exp(-0.5 * coarse * coarse) * Math.exp(-0.5 * (z - coarse) * (z + coarse))
}

/**
 * Returns P(Z > z), the upper tail of a standard normal variable Z. The result has full relative
 * accuracy however small it is.
 *
 * @example normalSf(30) // 4.906713927148187e-198
 */
export function normalSf(z: number): number {
  checkNumber('z', z)
  // For |z| > 40 the tail is below the smallest double, and for very large |z| the square overflows.
  const tail = Math.abs(z) > 40 ? 0 : scaledTail(Math.abs(z)) * gaussian(Math.abs(z))
  return z >= 0 ? tail : 1 - tail
}

/**
 * Returns P(Z ≤ z) for a standard normal variable Z, with full relative accuracy in the lower tail.
 *
 * @example normalCdf(1.959963984540054) // 0.975
 */
export function normalCdf(z: number): number {
  return normalSf(-z)
}

/**
 * Returns P(0 < Z < z) for small z ≥ 0, by a series of positive terms. The difference P(Z ≤ z) −
 * 1/2 would lose digits here.
 */
function fromCentre(z: number): number {
  let term = z
  let sum = z
  for (let i = 3; term > sum * 1e-17; i += 2) {
    term *= (z * z) / i
    sum += term
  }
  return (sum * gaussian(z)) / SQRT_TWO_PI
}

function quantileNearCentre(area: number): number {
  if (area === 0) return 0
  let z = area * SQRT_TWO_PI
  // Newton's method. The start is within 10 % of the root. Three steps come close to the root, and
  // two more steps make the last digit right.
  for (let i = 0; i < 5; i++) z += ((area - fromCentre(z)) * SQRT_TWO_PI) / gaussian(z)
  return z
}

function quantileOfTail(tail: number): number {
  const t = Math.sqrt(-2 * Math.log(tail))
  let z =
    t -
    (2.515517 + t * (0.802853 + t * 0.010328)) /
      (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
  for (let i = 0; i < 2; i++) {
    // The step is (P(Z > z) − tail)/density(z). The numerator and the density are both divided by
    // e^(−z²/2), so that neither is too small for a double.
    const scaled = scaledTail(z)
    const logRatio = Math.log(tail) - Math.log(scaled) + 0.5 * z * z
    const step = -SQRT_TWO_PI * scaled * Math.expm1(logRatio)
    z += step / (1 - 0.5 * z * step)
  }
  return z
}

/**
 * Returns the z with P(Z ≤ z) = p for a standard normal variable Z, accurate in both tails and near
 * the centre.
 *
 * @example normalQuantile(0.975) // 1.9599639845400538
 */
export function normalQuantile(p: number): number {
  checkBetween('p', p, 0, 1)
  if (p > 0.25 && p < 0.75) {
    const z = quantileNearCentre(Math.abs(p - 0.5))
    return p < 0.5 ? -z : z
  }
  return p < 0.5 ? -quantileOfTail(p) : quantileOfTail(1 - p)
}
