/**
 * pass@k and the probability that it is computed from. If m of n trials are marked and k of the n are drawn at random
 * without replacement, the probability that no drawn trial is marked is C(n−m, k)/C(n, k). C(n, k) is the binomial
 * coefficient. If the passes are marked, pass@k is 1 minus this probability. If the failures are marked, the unbiased
 * pass^k is this probability.
 *
 * If C(n, k) is a safe integer, both coefficients are exact, and only the division rounds. Otherwise the ratio is
 * computed as a product of min(m, k) factors 1 − max(m, k)/(n − i), by adding their logarithms. Two other ways would be
 * wrong: subtracting the logarithms of the coefficients loses digits (at n = 10^12, the fourth digit is wrong), and
 * factorials overflow from 171 on.
 *
 * Source: Chen et al. 2021, Evaluating Large Language Models Trained on Code, eq. 1.
 */
import { checkCounts, checkInteger, checkNumber } from '../domain.ts'
import { Sum } from '../fsum.ts'

/**
 * Returns the binomial coefficient C(n, k) as an exact integer, or null if an intermediate product
 * is above 2^53 − 1.
 */
function exactBinomial(n: number, k: number): number | null {
  if (k > n) return 0
  let result = 1
  for (let i = 1; i <= Math.min(k, n - k); i++) {
    // After step i, `result` is the integer C(n, i). So the division is exact if the product is
    // exact.
    const product = result * (n - i + 1)
    if (product > Number.MAX_SAFE_INTEGER) return null
    result = product / i
  }
  return result
}

/**
 * If the logarithm of the probability is below this, 1 minus the probability rounds to 1, because
 * e^−38 < 2^−54.
 */
const NEGLIGIBLE_BESIDE_ONE = -38
/** If s is below this, e^s is smaller than the smallest double and rounds to 0. */
const UNDERFLOW = -760

/**
 * Returns the logarithm of C(n−m, k)/C(n, k), computed as a sum. The sum stops early when it is
 * below `floor`, because the caller needs no smaller value.
 */
function logMiss(n: number, m: number, k: number, floor: number): number {
  const terms = Math.min(m, k)
  const block = Math.max(m, k)
  const log = new Sum()
  let reached = 0
  for (let i = 0; i < terms && reached > floor; i++) {
    const left = n - i
    const missed = left - block
    // If block/left is close to 1, the formula with log1p would lose digits.
    const term = missed < block ? Math.log(missed / left) : Math.log1p(-block / left)
    log.add(term)
    reached += term
  }
  return log.value
}

/**
 * Up to this number of factors, a plain product is more accurate than exp() of a sum of logarithms.
 */
const PRODUCT_TERMS = 64

/**
 * Returns C(n−m, k)/C(n, k), the probability that k of n trials, drawn without replacement, contain
 * none of the m marked trials.
 */
export function zeroHyper(n: number, m: number, k: number): number {
  if (m === 0 || k === 0) return 1
  if (k > n - m) return 0
  if (k === 1) return (n - m) / n
  const all = exactBinomial(n, k)
  if (all !== null) return (exactBinomial(n - m, k) as number) / all
  const terms = Math.min(m, k)
  if (terms > PRODUCT_TERMS) return Math.exp(logMiss(n, m, k, UNDERFLOW))
  const block = Math.max(m, k)
  let product = 1
  for (let i = 0; i < terms; i++) product *= (n - i - block) / (n - i)
  return product
}

/**
 * Returns 1 − C(n−m, k)/C(n, k), the probability that the drawn trials contain a marked one. It
 * does not lose digits if the ratio is close to 1.
 */
export function someHyper(n: number, m: number, k: number): number {
  if (m === 0 || k === 0) return 0
  if (k > n - m) return 1
  if (k === 1) return m / n
  const all = exactBinomial(n, k)
  if (all !== null) return (all - (exactBinomial(n - m, k) as number)) / all
  return -Math.expm1(logMiss(n, m, k, NEGLIGIBLE_BESIDE_ONE))
}

/**
 * Returns the unbiased estimate of the probability that at least one of k trials passes, from n
 * trials of which c passed. It is 1 − C(n−c, k)/C(n, k). For k above n no unbiased estimate exists,
 * so the function throws.
 *
 * @example passAtK(10, 3, 5) // 0.9166666666666666 = 11/12
 */
export function passAtK(n: number, c: number, k: number): number {
  checkCounts(n, c)
  checkInteger('k', k, 0, n)
  return someHyper(n, c, k)
}

/**
 * Returns 1 − (1 − p)^k, where p is the pass rate per trial. This is too low on average if p was
 * estimated from few trials (for a true rate of 0.5 and n = k = 5 it is 0.890 on average; the true
 * value is 0.969). This function exists for comparison only. Assay computes scores with {@link
 * passAtK}.
 *
 * @example passAtKNaive(0.8, 5) // 0.99968
 */
export function passAtKNaive(perTrialPassRate: number, k: number): number {
  checkNumber('perTrialPassRate', perTrialPassRate, 0, 1)
  checkInteger('k', k, 0)
  if (k === 0) return 0 // Without this line, p = 1 would give 0 · −Infinity, which is NaN.
  if (k === 1) return perTrialPassRate
  return -Math.expm1(k * Math.log1p(-perTrialPassRate))
}
