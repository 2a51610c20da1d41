/**
 * Draws random binomial and multinomial counts. A count is drawn at once, not trial by trial. So a
 * resample of 10,000 cases with six distinct outcomes needs five draws, not 10,000.
 *
 * If the mean n·p is below 10, the count is found by inversion, which adds up probabilities from 0 in
 * about n·p + 1 steps. Otherwise Hörmann's algorithm BTRS (transformed rejection with squeeze) is
 * used. It accepts most proposals after two uniform random numbers, at a cost that does not grow with
 * n.
 *
 * Source: Hörmann 1993, The generation of binomial random variates (J. Stat. Comput. Simul. 46).
 */
import { checkInteger, checkLength, checkNumber } from '../domain.ts'
import { Sum } from '../fsum.ts'
import { stirlingError } from '../special/log-gamma.ts'
import type { Random } from './random.ts'

/** If the mean n·p is at least this, the algorithm BTRS is valid (Hörmann) and faster than inversion. */
const LEAST_MEAN_OF_BTRS = 10

/**
 * Draws a binomial count for p ≤ 1/2 and n·p < 10. It adds up the probabilities of the counts 0, 1,
 * 2, … until the sum exceeds a uniform random number.
 */
function drawByInversion(random: Random, n: number, p: number): number {
  const odds = p / (1 - p)
  const atZero = Math.exp(n * Math.log1p(-p))
  for (;;) {
    let left = random()
    let probability = atZero
    for (let k = 0; k <= n; k++) {
      if (left < probability) return k
      left -= probability
      probability *= (odds * (n - k)) / (k + 1)
    }
    // The rounded probabilities add up to slightly less than 1, and the uniform number was above
    // their sum. Draw again.
  }
}

const SMALL_TAILS = Array.from({ length: 16 }, (_, k) => stirlingError(k + 1))

/**
 * Returns the error of Stirling's formula for ln k!. For k above the table SMALL_TAILS, the error
 * is computed from three terms of its series. They are accurate to 2e-12, which is enough here.
 */
function stirlingTail(k: number): number {
  const tabulated = SMALL_TAILS[k]
  if (tabulated !== undefined) return tabulated
  const square = (k + 1) * (k + 1)
  return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
}

/**
 * Returns the logarithm of the probability of the count k divided by the probability of the most
 * likely count, the mode. The leading terms of Stirling's series are cancelled algebraically, so no
 * factorial is computed.
 */
function logRatioToMode(n: number, p: number, k: number): number {
  const odds = p / (1 - p)
  const mode = Math.floor((n + 1) * p)
  return (
    (mode + 0.5) * Math.log((mode + 1) / (odds * (n - mode + 1))) +
    (n + 1) * Math.log((n - mode + 1) / (n - k + 1)) +
    (k + 0.5) * Math.log((odds * (n - k + 1)) / (k + 1)) +
    (stirlingTail(mode) + stirlingTail(n - mode)) -
    (stirlingTail(k) + stirlingTail(n - k))
  )
}

/**
 * Draws a binomial count by transformed rejection with squeeze, for p ≤ 1/2 and n·p ≥ 10. The
 * variable names are those of Hörmann's algorithm BTRS.
 */
function drawByRejection(random: Random, n: number, p: number): number {
  const spread = Math.sqrt(n * p * (1 - p))
  const b = 1.15 + 2.53 * spread
  const a = -0.0873 + 0.0248 * b + 0.01 * p
  const c = n * p + 0.5
  const squeeze = 0.92 - 4.2 / b
  const alpha = (2.83 + 5.1 / b) * spread
  for (;;) {
    const u = random() - 0.5
    const v = random()
    const us = 0.5 - Math.abs(u)
    const k = Math.floor(((2 * a) / us + b) * u + c)
    if (us >= 0.07 && v <= squeeze) return k
    if (k < 0 || k > n) continue
    if (Math.log((v * alpha) / (a / (us * us) + b)) <= logRatioToMode(n, p, k)) return k
  }
}

function draw(random: Random, n: number, p: number): number {
  if (p > 0.5) return n - draw(random, n, 1 - p)
  if (n === 0 || p === 0) return 0
  return n * p < LEAST_MEAN_OF_BTRS ? drawByInversion(random, n, p) : drawByRejection(random, n, p)
}

/**
 * Draws how many of n independent trials pass, if each passes with probability p.
 *
 * @example binomialDraw(random(1), 10, 1) // 10
 */
export function binomialDraw(random: Random, n: number, p: number): number {
  checkInteger('n', n, 0)
  checkNumber('p', p, 0, 1)
  return draw(random, n, p)
}

/**
 * Does the same as `multinomialCounts`, without its checks, and writes the result to `counts`.
 * `total` is the sum of the weights, and `last` is the index of the last weight that is not 0.
 */
export function drawMultinomial(
  random: Random,
  n: number,
  weights: ArrayLike<number>,
  total: number,
  last: number,
  counts: Float64Array,
): void {
  let weightLeft = total
  let left = n
  for (let i = 0; i <= last; i++) {
    const weight = weights[i] as number
    let count = 0
    // The last outcome takes all remaining draws. Otherwise rounding errors in weightLeft could
    // leave some draws without an outcome.
    if (i === last) count = left
    else if (weight > 0) count = draw(random, left, weight < weightLeft ? weight / weightLeft : 1)
    counts[i] = count
    left -= count
    weightLeft -= weight
  }
  counts.fill(0, last + 1)
}

/**
 * Draws how often each outcome occurs in n draws, where outcome i has the probability weights[i]/Σ
 * weights. With integer weights, the probability of each outcome given the previous ones is rounded
 * only once, by a division.
 *
 * @example multinomialCounts(random(1), 5, [0, 3]) // Float64Array [0, 5]
 */
export function multinomialCounts(
  random: Random,
  n: number,
  weights: ArrayLike<number>,
): Float64Array {
  checkInteger('n', n, 0)
  checkLength('weights', weights)
  const sum = new Sum()
  let last = -1
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] as number
    checkNumber(`weights[${i}]`, weight, 0)
    sum.add(weight)
    if (weight > 0) last = i
  }
  if (last < 0) throw new RangeError('weights must not all be 0')
  checkNumber('the sum of weights', sum.value)
  const counts = new Float64Array(weights.length)
  drawMultinomial(random, n, weights, sum.value, last, counts)
  return counts
}
