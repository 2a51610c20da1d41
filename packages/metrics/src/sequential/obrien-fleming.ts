/**
 * Boundaries for testing a comparison at several interim analyses (looks). If every look tests as if
 * it were the only one, the rate of false alarms rises from 5 % to 11-14 % in ten rounds. O'Brien and
 * Fleming's boundaries are strict at first and almost the usual ones at the end. So stopping early
 * needs a large difference, and the last look loses almost no power.
 *
 * `obrienFlemingBoundaries` is for K equally spaced looks: the boundary of look k is z_k = C·√(K/k). C is chosen such
 * that the probability of a false alarm at any look is alpha.
 *
 * If the looks are not equally spaced (for example because trials had errors), `spendingBoundaries` uses the method of
 * Lan and DeMets. When the share t of the planned trials is done, the probability of a false alarm so far may be at
 * most 4 − 4Φ(z_{alpha/4}/√t), half of it on each side. Φ is the normal distribution function, and z_{alpha/4} is the
 * value that a standard normal variable exceeds with probability alpha/4.
 *
 * Source: O'Brien and Fleming 1979 (Biometrics 35); Lan and DeMets 1983 (Biometrika 70); Jennison
 * and Turnbull 2000, table 2.3.
 */
import { checkBetween, checkInteger, checkLength } from '../domain.ts'
import { normalQuantile, normalSf } from '../special/normal.ts'
import { exitProbability, START, survivorsOf } from './exit-probability.ts'

export interface SequentialBoundaries {
  /** Stop at look k if |z| is at least `z[k]`. */
  readonly z: readonly number[]
  /** The same boundaries as two-sided p-values: stop at look k if p is at most `nominalP[k]`. */
  readonly nominalP: readonly number[]
  /**
   * The probability that the comparison has stopped by look k if there is no difference. The last
   * value is alpha if all planned trials are done.
   */
  readonly spent: readonly number[]
}

/**
 * The largest number of looks. For more looks, use an e-value (discordant-e-value.ts), which may be
 * checked after every pair of trials.
 */
const MOST_LOOKS = 100

/**
 * The search for a boundary ends when the relative error of its crossing probability is below this.
 */
const CLOSE = 1e-13

/**
 * Returns the probability that a boundary has been crossed by each look, for the given times and
 * boundaries.
 */
function cumulativeExit(times: readonly number[], z: readonly number[]): number[] {
  const spent: number[] = []
  let survivors = START
  let total = 0
  for (const [k, time] of times.entries()) {
    total += exitProbability(survivors, time, z[k] as number)
    spent.push(total)
    const next = times[k + 1]
    if (next !== undefined) survivors = survivorsOf(survivors, time, z[k] as number, next)
  }
  return spent
}

/**
 * Returns the z in [low, high] where the decreasing function `exit` equals the target. It uses the
 * Illinois variant of the method of false position (regula falsi): if the same end of the bracket
 * is replaced twice, the function value at the opposite end is halved. So the bracket closes from
 * both ends.
 */
function solveFalling(
  exit: (z: number) => number,
  target: number,
  low: number,
  high: number,
): number {
  // The logarithm of a normal tail is nearly a parabola, for which this method converges quickly.
  const gap = (z: number): number => Math.log(exit(z) / target)
  let [left, right] = [low, high]
  let [gapLeft, gapRight] = [gap(left), gap(right)]
  // The root can be equal to a bound, for example with one look. Rounding can then put the root
  // just outside the bounds.
  if (gapLeft <= CLOSE) return left
  if (gapRight >= -CLOSE) return right
  let replaced: 'left' | 'right' | null = null
  for (;;) {
    const z = left + ((right - left) * gapLeft) / (gapLeft - gapRight)
    const at = gap(z)
    if (Math.abs(at) <= CLOSE || z <= left || z >= right) return z
    if (at > 0) {
      if (replaced === 'left') gapRight /= 2
      ;[left, gapLeft, replaced] = [z, at, 'left']
    } else {
      if (replaced === 'right') gapLeft /= 2
      ;[right, gapRight, replaced] = [z, at, 'right']
    }
  }
}

const nominal = (z: readonly number[]): number[] => z.map((x) => 2 * normalSf(x))

/**
 * Returns the two-sided O'Brien-Fleming boundaries for a number of equally spaced looks.
 *
 * @example obrienFlemingBoundaries(5).z // [4.5617, 3.2256, 2.6337, 2.2809, 2.0401], rounded
 */
export function obrienFlemingBoundaries(looks: number, alpha: number = 0.05): SequentialBoundaries {
  checkInteger('looks', looks, 1, MOST_LOOKS)
  checkBetween('alpha', alpha, 0, 1)
  const times = Array.from({ length: looks }, (_, k) => k + 1)
  const boundaries = (final: number): number[] => times.map((k) => final * Math.sqrt(looks / k))
  // With a single look at the end, the probability of crossing the boundary z is 2 · P(Z > z),
  // where Z is a standard normal variable. With a look at every instant, the probability is at most
  // twice that (reflection principle). So the final boundary is between the upper quantiles of
  // alpha/2 and alpha/4.
  const final = solveFalling(
    (z) => cumulativeExit(times, boundaries(z)).at(-1) as number,
    alpha,
    -normalQuantile(alpha / 2),
    -normalQuantile(alpha / 4),
  )
  const z = boundaries(final)
  return { z, nominalP: nominal(z), spent: cumulativeExit(times, z) }
}

/**
 * Returns boundaries for looks at any times. The alpha spending function of O'Brien-Fleming type
 * limits the probability of a false alarm up to each look. `information[k]` is the share of the
 * planned trials that are done at look k. The shares must increase. The last share may be below 1
 * while a run goes on. Later looks never change earlier boundaries.
 *
 * @example spendingBoundaries([0.5, 1]).z // [2.9626, 1.9686], rounded
 */
export function spendingBoundaries(
  information: readonly number[],
  alpha: number = 0.05,
): SequentialBoundaries {
  checkLength('information', information)
  checkBetween('alpha', alpha, 0, 1)
  let before = 0
  for (const share of information) {
    // Each share must be above the previous one and at most 1.
    if (!(share > before && share <= 1))
      throw new RangeError(
        `information must rise from above 0 to at most 1, got ${share} after ${before}`,
      )
    before = share
  }
  const most = -normalQuantile(alpha / 4)
  const allowed = information.map((share) => 4 * normalSf(most / Math.sqrt(share)))
  const z: number[] = []
  let survivors = START
  for (const [k, time] of information.entries()) {
    const toSpend = (allowed[k] as number) - (allowed[k - 1] ?? 0)
    if (!(toSpend > 0))
      throw new RangeError(
        `information ${time} leaves nothing to spend: look later or at more distance`,
      )
    // The boundary that this look would have if it were the only one is an upper bound. The true boundary is lower,
    // because comparisons that crossed an earlier boundary do not count here.
    const highest = -normalQuantile(toSpend / 2)
    const boundary =
      k === 0
        ? highest
        : solveFalling((x) => exitProbability(survivors, time, x), toSpend, 0, highest)
    z.push(boundary)
    const next = information[k + 1]
    if (next !== undefined) survivors = survivorsOf(survivors, time, boundary, next)
  }
  return { z, nominalP: nominal(z), spent: cumulativeExit(information, z) }
}
