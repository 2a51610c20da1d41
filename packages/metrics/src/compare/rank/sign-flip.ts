/**
 * The sign-flip test: were A and B exchangeable on each case, every difference B − A could as well
 * have had the other sign; the p-value is the share of the 2^m sign patterns whose sum is at least
 * as extreme. It assumes no normal distribution and is the exact check beside pairedDifference.
 *
 * All patterns are counted by dynamic programming over integer sums, so the differences must lie on
 * a lattice. Pass rates always do: with equal n they are multiples of 1/n, otherwise of one over
 * the least common multiple of the n. The step is found from the values themselves (the smallest L
 * up to 10,000 that makes every difference an integer number of L-ths of the largest), so that 0.2
 * + 0.2 and 0.4 tie as they must. Differences on no such lattice, continuous scores, are rounded to
 * 1/10,000 of the largest, away from zero at the half. That costs a little power but no validity: a
 * variable symmetric about zero stays so when rounded symmetrically, hence the test of the rounded
 * differences is still exact. A seeded Monte Carlo would add noise to the answer and gain nothing.
 * Only with so many cases that the rounding would be coarse is the normal form used.
 *
 * Source: Fisher 1935, The Design of Experiments, section 21; the counting after Pagano and
 * Tritchler 1983.
 */
import { checkLength, checkNumber } from '../../domain.ts'
import { fsum } from '../../fsum.ts'
import { normalSf } from '../../special/normal.ts'
import { type Alternative, checkAlternative, lowerTail, upperTail } from '../lattice.ts'
import { signSum } from './sign-sum.ts'

export interface SignFlip {
  readonly p: number
  readonly alternative: Alternative
  /**
   * `exact`: of the differences as given. `rounded`: exact for them rounded to `step`. `normal`:
   * approximate.
   */
  readonly method: 'exact' | 'rounded' | 'normal'
  /** The lattice the differences were put on; null where none was needed. */
  readonly step: number | null
  /** Differences other than zero: flipping a zero changes nothing. */
  readonly nonzero: number
}

const FINEST = 10_000
/** About a tenth of a second. */
const MOST_STEPS = 1e8
/**
 * Mean steps per case below which the normal form takes over: about 1000 cases. Measured there on 40
 * suites: above p = 0.01 the normal form is closer (off by at most 0.3 % of p, rounding by 1.1 %),
 * below p = 0.001 rounding would be (0.8 % against 4 %).
 */
const COARSEST = 100
/** Far above the rounding of a difference of two rates, far below 1/FINEST. */
const INTEGER_WITHIN = 1e-8

/**
 * How many steps the largest of the shares must have for all to be whole; null if more than FINEST.
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
 * p-value of "each difference is as likely to have been its negative". `greater` asks for a
 * positive sum, `less` for a negative one. Exact for pass rates; see the head of this file for
 * other values. Without any difference p is 1.
 *
 * @example signFlipExact([0.2, 0.2, 0.4, 0.2, -0.2, 0]).p // 0.3125 = 10/32
 */
export function signFlipExact(
  differences: readonly number[],
  alternative: Alternative = 'twoSided',
): SignFlip {
  checkLength('differences', differences)
  for (const d of differences) checkNumber('differences', d)
  checkAlternative(alternative)
  const changed = differences.filter((d) => d !== 0)
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
    // The sums lie symmetrically, so the other tail is the same.
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
