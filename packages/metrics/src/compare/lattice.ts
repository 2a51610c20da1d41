/**
 * Exact null distributions on consecutive integers. Each integer has a weight that is proportional
 * to its probability. Fisher's test, McNemar's test, the stratified test, sign flips and rank sums
 * all use such a distribution. The tests differ only in how the weights are computed and in which
 * integers count as "at least as extreme" as the observed one.
 *
 * The largest weight, the peak, is kept at about 2^900. So a weight becomes 0 only if its probability is below the
 * smallest double. Tails are sums of weights that are not negative, so no digits cancel. After a convolution of two
 * distributions, the new peak is at least the product of the two old peaks. So no weight becomes too large relative to
 * the peak.
 */

/**
 * A distribution on consecutive integers: weights[i] is proportional to the probability of the
 * integer low + i.
 */
export interface Lattice {
  readonly low: number
  readonly weights: Float64Array
}

/** The direction that counts as evidence. For paired data, `greater` means that B is greater than A. */
export type Alternative = 'twoSided' | 'less' | 'greater'

const ALTERNATIVES: readonly string[] = ['twoSided', 'less', 'greater'] satisfies Alternative[]

export function checkAlternative(alternative: Alternative): void {
  if (ALTERNATIVES.includes(alternative)) return
  throw new RangeError(
    `alternative must be ${ALTERNATIVES.join(', ')}, got ${JSON.stringify(alternative)}`,
  )
}

const PEAK = 2 ** 900

/**
 * Weights below this limit, 1e-361 of the peak, are left out. Together they are less than the smallest double. The
 * limit also ends the loops that compute weights: a tiny weight that is multiplied by a ratio close to 1 rounds to the
 * same number again, so it would never reach 0.
 */
const NOTHING = 2 ** -300

/**
 * Two probabilities count as equal if their ratio is at most this. Probabilities that are equal in
 * exact arithmetic may differ in their last bits. R's tests use the same tolerance of 1e-7.
 */
const EQUALLY_LIKELY = 1 + 1e-7

/**
 * Returns the distribution with all weight on one integer. It is the starting point for adding
 * distributions by `convolve`.
 */
export function pointMass(at: number): Lattice {
  return { low: at, weights: Float64Array.of(PEAK) }
}

/**
 * Returns the distribution on the integers from `low` to `high`, given by the ratio w(k + 1)/w(k)
 * of neighbouring weights. `mode` is the integer with the largest weight. The weights are computed
 * outward from the mode until they are negligible. This needs no factorials, and the error grows by
 * one unit in the last place per step.
 */
export function fromRatios(
  low: number,
  high: number,
  mode: number,
  ratio: (k: number) => number,
): Lattice {
  const below: number[] = []
  for (let k = mode - 1, w = PEAK; k >= low; k--) {
    w /= ratio(k)
    if (w < NOTHING) break
    below.push(w)
  }
  const above: number[] = []
  for (let k = mode, w = PEAK; k < high; k++) {
    w *= ratio(k)
    if (w < NOTHING) break
    above.push(w)
  }
  const weights = Float64Array.from([...below.reverse(), PEAK, ...above])
  return { low: mode - below.length, weights }
}

/** Returns the distribution of the sum of two independent integers, whose distributions are a and b. */
export function convolve(a: Lattice, b: Lattice): Lattice {
  const [long, short] = a.weights.length >= b.weights.length ? [a, b] : [b, a]
  const weights = new Float64Array(long.weights.length + short.weights.length - 1)
  for (const [j, w] of short.weights.entries()) {
    const factor = w / PEAK
    for (let i = 0; i < long.weights.length; i++)
      weights[i + j] = (weights[i + j] as number) + factor * (long.weights[i] as number)
  }
  return { low: a.low + b.low, weights: rescale(weights) }
}

/** Scales the largest weight back to about 2^900, by a power of two, so that no digit changes. */
export function rescale(weights: Float64Array): Float64Array {
  let peak = 0
  for (const w of weights) if (w > peak) peak = w
  const factor = 2 ** (900 - Math.floor(Math.log2(peak)))
  if (factor !== 1)
    for (let i = 0; i < weights.length; i++) weights[i] = (weights[i] as number) * factor
  return weights
}

/** Returns the part that rounding removed from sum = x + y (Knuth's two-sum algorithm). */
function lost(x: number, y: number, sum: number): number {
  const shift = sum - x
  return x - (sum - shift) + (y - shift)
}

/**
 * Returns the share of the weight on the integers that `counts` accepts. The sums are plain sums
 * plus one term that collects the rounding errors. One such term is enough, because no weight is
 * negative. An exactly rounded sum (fsum.ts) would be slow here, because the weights span the whole
 * range of doubles.
 */
function share(
  { low, weights }: Lattice,
  counts: (value: number, weight: number) => boolean,
): number {
  let all = 0
  let allLost = 0
  let inside = 0
  let insideLost = 0
  for (let i = 0; i < weights.length; i++) {
    const w = weights[i] as number
    const nextAll = all + w
    allLost += lost(all, w, nextAll)
    all = nextAll
    if (!counts(low + i, w)) continue
    const nextInside = inside + w
    insideLost += lost(inside, w, nextInside)
    inside = nextInside
  }
  return (inside + insideLost) / (all + allLost)
}

/** Returns the probability of a value of at most `observed`. */
export const lowerTail = (lattice: Lattice, observed: number): number =>
  share(lattice, (value) => value <= observed)

/** Returns the probability of a value of at least `observed`. */
export const upperTail = (lattice: Lattice, observed: number): number =>
  share(lattice, (value) => value >= observed)

/** Returns the probability of exactly `observed`. */
export const pointShare = (lattice: Lattice, observed: number): number =>
  share(lattice, (value) => value === observed)

/**
 * Returns the total probability of all values that are no more likely than `observed`. This is the
 * two-sided p-value of Fisher's test.
 */
export function noMoreLikely(lattice: Lattice, observed: number): number {
  const limit = (lattice.weights[observed - lattice.low] ?? 0) * EQUALLY_LIKELY
  return share(lattice, (_, weight) => weight <= limit)
}

/**
 * Returns the total probability of all values at least as far from the mean as `observed`. This is
 * the two-sided p-value of permutation tests. The mean is given as the fraction total / of, so that
 * all distances are compared as integers and equal distances are exactly equal.
 */
export const atLeastAsFar = (
  lattice: Lattice,
  observed: number,
  total: number,
  of: number,
): number => {
  const limit = Math.abs(observed * of - total)
  return share(lattice, (value) => Math.abs(value * of - total) >= limit)
}
