/**
 * The sign-flip test. If A and B are equally good on each case, every difference B − A is as likely
 * to be positive as negative. The p-value is the share of the 2^m sign patterns of the m differences
 * whose sum is at least as extreme as the observed sum. The test assumes no normal distribution, so
 * it can check the result of pairedDifference.
 *
 * Dynamic programming over integer sums counts all patterns. So the differences must be multiples
 * of a common step. Differences of pass rates always are: multiples of 1/n if all cases have n
 * trials, otherwise of one over the least common multiple of all n. The code finds the step from
 * the values: the smallest L up to 10,000 for which every difference is an integer multiple of the
 * largest one divided by L. The sums are then sums of integers, so that 0.2 + 0.2 and 0.4 are
 * exactly equal.
 *
 * Continuous scores have no such step. Their differences are rounded to 1/10,000 of the largest,
 * with halves away from zero. This costs a little power, but the test remains valid: a distribution
 * that is symmetric about zero remains symmetric after symmetric rounding, so the test of the
 * rounded differences is exact. Random sampling of sign patterns would only add noise to the
 * p-value. With very many cases the rounding would be coarse, and a normal approximation is used
 * instead.
 *
 * Source: Fisher 1935, The Design of Experiments, section 21; the counting after Pagano and
 * Tritchler 1983.
 */
import { checkGroup, checkLength, checkNumber, checkSameLength } from '../../domain.ts'
import { fsum } from '../../fsum.ts'
import { sumsByGroup } from '../../interval/clustered-se.ts'
import { normalSf } from '../../special/normal.ts'
import { type Alternative, checkAlternative, lowerTail, upperTail } from '../lattice.ts'
import { signSum } from './sign-sum.ts'

export interface SignFlip {
  readonly p: number
  readonly alternative: Alternative
  /**
   * `exact`: p is exact for the differences as given. `rounded`: p is exact for the differences
   * rounded to multiples of `step`. `normal`: p is a normal approximation.
   */
  readonly method: 'exact' | 'rounded' | 'normal'
  /** The differences are, or were rounded to, multiples of this step; null if no step was used. */
  readonly step: number | null
  /** The number of differences that are not zero. Flipping the sign of a zero changes nothing. */
  readonly nonzero: number
}

const FINEST = 10_000
/** The largest number of steps of the count. They take about a tenth of a second. */
const MOST_STEPS = 1e8
/**
 * If the rounded differences would average less than this number of steps, the normal approximation
 * is used. This happens at about 1000 cases. A measurement on 40 suites of that size showed: above
 * p = 0.01 the normal approximation is closer to the exact p (its error is at most 0.3 % of p, and
 * that of rounding is 1.1 %). Below p = 0.001 rounding would be closer (its error is 0.8 % of p,
 * and that of the normal approximation is 4 %).
 */
const COARSEST = 100
/**
 * A number this close to an integer counts as that integer. The limit is far above the rounding
 * error of a difference of two rates, and far below 1/FINEST.
 */
const INTEGER_WITHIN = 1e-8

/**
 * If the differences of a group cancel, their sum can be a rounding error instead of 0. A sum that is at most this
 * share of the largest difference counts as 0.
 */
const ROUNDING = 1e-12

/**
 * Returns the smallest number of steps for which share · steps is an integer for all shares. A
 * share is a difference divided by the largest one. The result is null if the number would be above
 * FINEST.
 */
function latticeSteps(shares: readonly number[]): number | null {
  for (let steps = 1; steps <= FINEST; steps++) {
    const whole = shares.every((share) => {
      const scaled = share * steps
      return Math.abs(scaled - Math.round(scaled)) <= INTEGER_WITHIN
    })
    if (whole) return steps
  }
  return null
}

/**
 * Returns the p-value of the hypothesis "each difference is as likely to be positive as negative".
 * `greater` tests for a positive sum, `less` for a negative one. The p-value is exact for pass
 * rates; the comment at the top of this file describes other values. If all differences are 0, p is
 * 1. `groups[i]` names the group of difference i: the signs of a group's differences are flipped
 * together, so the sum of a group counts as one difference.
 *
 * @example signFlipExact([0.2, 0.2, 0.4, 0.2, -0.2, 0]).p // 0.3125 = 10/32
 */
export function signFlipExact(
  differences: readonly number[],
  alternative: Alternative = 'twoSided',
  groups?: readonly (string | number)[],
): SignFlip {
  checkLength('differences', differences)
  for (const d of differences) checkNumber('differences', d)
  checkAlternative(alternative)
  if (groups) {
    checkSameLength('groups', groups, 'differences', differences)
    for (const group of groups) checkGroup(group)
  }
  const flipped = groups ? sumsByGroup(differences, groups) : differences
  // The sum of a group whose differences cancel can be a rounding error instead of 0.
  const least = groups
    ? ROUNDING * differences.reduce((most, d) => Math.max(most, Math.abs(d)), 0)
    : 0
  const changed = flipped.filter((d) => Math.abs(d) > least)
  if (changed.length === 0) return { p: 1, alternative, method: 'exact', step: null, nonzero: 0 }
  const largest = changed.reduce((most, d) => Math.max(most, Math.abs(d)), 0)
  const signed = changed.map((d) => d / largest)
  const shares = signed.map((d) => Math.abs(d))
  const size = fsum(shares)
  const lattice = latticeSteps(shares)
  const steps = Math.min(lattice ?? FINEST, Math.floor(MOST_STEPS / shares.length / size))
  if (steps !== lattice && steps * size < COARSEST * shares.length) {
    const p = normalP(signed, alternative)
    return { p, alternative, method: 'normal', step: null, nonzero: changed.length }
  }
  const units = signed.map((d) => Math.sign(d) * Math.round(Math.abs(d) * steps))
  const magnitudes = units.map((u) => Math.abs(u)).filter((u) => u > 0)
  const total = magnitudes.reduce((sum, u) => sum + u, 0)
  const positive = units.reduce((sum, u) => sum + Math.max(0, u), 0)
  const sums = signSum(magnitudes)
  const tails = {
    less: () => lowerTail(sums, positive),
    greater: () => upperTail(sums, positive),
    // The distribution is symmetric, so the other tail is the same.
    twoSided: () => Math.min(1, 2 * upperTail(sums, Math.max(positive, total - positive))),
  }
  return {
    p: tails[alternative](),
    alternative,
    method: steps === lattice ? 'exact' : 'rounded',
    step: largest / steps,
    nonzero: magnitudes.length,
  }
}

function normalP(signed: readonly number[], alternative: Alternative): number {
  const z = fsum(signed) / Math.sqrt(fsum(signed.map((d) => d * d)))
  if (alternative === 'less') return normalSf(-z)
  if (alternative === 'greater') return normalSf(z)
  return 2 * normalSf(Math.abs(z))
}
