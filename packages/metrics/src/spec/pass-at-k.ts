/**
 * pass@k and its kernel. Both pass@k and the unbiased pass^k ask for the chance that k trials drawn
 * without replacement from n miss all m marked ones, C(n−m, k)/C(n, k): for pass@k the marked are the
 * passes, for pass^k the failures.
 *
 * Where C(n, k) is a safe integer the counts are exact and one division rounds once. Beyond that the
 * ratio is a product of min(m, k) factors 1 − max(m, k)/(n − i), summed as log1p: the difference of
 * log-binomials cancels (wrong in the fourth digit at n = 10^12) and factorials overflow at 171.
 *
 * Source: Chen et al. 2021, Evaluating Large Language Models Trained on Code, eq. 1.
 */
import { checkCounts, checkInteger, checkNumber } from '../domain.ts'
import { Sum } from '../fsum.ts'

/** C(n, k) as an exact integer, or null where it is above 2^53 − 1. */
function exactBinomial(n: number, k: number): number | null {
  if (k > n) return 0
  let result = 1
  for (let i = 1; i <= Math.min(k, n - k); i++) {
    // After each step result = C(n, i), so the division is exact as long as the product was.
    const product = result * (n - i + 1)
    if (product > Number.MAX_SAFE_INTEGER) return null
    result = product / i
  }
  return result
}

/** Beyond this the miss probability is below half an ulp of 1 (e^−38 < 2^−54). */
const NEGLIGIBLE_BESIDE_ONE = -38
/** Beyond this e^s is 0 even among the subnormal doubles. */
const UNDERFLOW = -760

/** ln of C(n−m, k)/C(n, k), summed until it falls below `floor`. */
function logMiss(n: number, m: number, k: number, floor: number): number {
  const terms = Math.min(m, k)
  const block = Math.max(m, k)
  const log = new Sum()
  let reached = 0
  for (let i = 0; i < terms && reached > floor; i++) {
    const left = n - i
    const missed = left - block
    // Both forms are exact but for one division; the second would round block/left to nearly 1.
    const term = missed < block ? Math.log(missed / left) : Math.log1p(-block / left)
    log.add(term)
    reached += term
  }
  return log.value
}

/** Up to here a plain product loses less than exp() of a large sum of logarithms does. */
const PRODUCT_TERMS = 64

/** C(n−m, k)/C(n, k): the chance that k of n drawn without replacement hold none of m marked. */
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

/** 1 − C(n−m, k)/C(n, k) without cancellation. */
export function someHyper(n: number, m: number, k: number): number {
  if (m === 0 || k === 0) return 0
  if (k > n - m) return 1
  if (k === 1) return m / n
  const all = exactBinomial(n, k)
  if (all !== null) return (all - (exactBinomial(n - m, k) as number)) / all
  return -Math.expm1(logMiss(n, m, k, NEGLIGIBLE_BESIDE_ONE))
}

/**
 * Chance that at least one of k trials passes, estimated without bias from n trials of which c passed:
 * 1 − C(n−c, k)/C(n, k). k above n has no unbiased estimate and is refused.
 *
 * @example passAtK(10, 3, 5) // 0.9166666666666666 = 11/12
 */
export function passAtK(n: number, c: number, k: number): number {
  checkCounts(n, c)
  checkInteger('k', k, 0, n)
  return someHyper(n, c, k)
}

/**
 * 1 − (1 − p)^k: biased low when p was estimated from few trials (p = 0.5 from n = k = 5 reads 0.890
 * on average, the truth is 0.969). Kept for comparison; Assay scores with {@link passAtK}.
 *
 * @example passAtKNaive(0.8, 5) // 0.99968
 */
export function passAtKNaive(perTrialPassRate: number, k: number): number {
  checkNumber('perTrialPassRate', perTrialPassRate, 0, 1)
  checkInteger('k', k, 0)
  if (k === 0) return 0 // p = 1 would give 0 · −Infinity
  if (k === 1) return perTrialPassRate
  return -Math.expm1(k * Math.log1p(-perTrialPassRate))
}
