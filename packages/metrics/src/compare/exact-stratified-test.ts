/**
 * Did anything change on exactly these cases? Within a case, given how many of the trials of A and
 * B passed together, B's share of them is hypergeometric if A and B are equally good there; the sum
 * over the cases is the statistic, and its null distribution is the convolution of theirs. Nothing
 * is assumed about how cases differ, and a case on which all trials passed or all failed says
 * nothing and costs nothing.
 *
 * This is the exact conditional Cochran-Mantel-Haenszel test: one case is Fisher's test, one trial
 * per case and subject is McNemar's. The two-sided p adds all sums no more likely than the observed
 * one (within 1e-7, as R's mantelhaen.test(exact = TRUE) does). If cases move both ways with zero
 * mean it still rejects more often than alpha, by design: something did change. Whether the average
 * moved is for pairedDifference.
 *
 * Source: Mantel and Haenszel 1959; Gart 1970 for the conditional distribution.
 */
import { checkInteger, checkLength } from '../domain.ts'
import { Sum } from '../fsum.ts'
import { normalSf } from '../special/normal.ts'
import { hypergeometric } from './hypergeometric.ts'
import {
  type Alternative,
  checkAlternative,
  convolve,
  type Lattice,
  lowerTail,
  noMoreLikely,
  pointMass,
  upperTail,
} from './lattice.ts'

/** One case: nA trials of A of which cA passed, nB of B of which cB passed. */
export interface Stratum {
  readonly nA: number
  readonly cA: number
  readonly nB: number
  readonly cB: number
}

export interface StratifiedTest {
  readonly p: number
  readonly alternative: Alternative
  /**
   * `normal` is the Mantel-Haenszel z with continuity correction, where the exact sum is too large.
   */
  readonly method: 'exact' | 'normal'
  /** B's passes over the informative cases. */
  readonly passes: number
  /** What they would be on average were A and B equal, given the passes of both together. */
  readonly expected: number
  /** Cases that can tell: both subjects tried, and not all trials passed or all failed. */
  readonly informative: number
}

/** Multiplications above which the convolution would take seconds. */
const MOST_OPERATIONS = 5e8

const passesOf = (s: Stratum): number => s.cA + s.cB
const trialsOf = (s: Stratum): number => s.nA + s.nB

function isInformative(s: Stratum): boolean {
  const passes = passesOf(s)
  return s.nA > 0 && s.nB > 0 && passes > 0 && passes < trialsOf(s)
}

/** How many values B's passes can take in a case. */
function width(s: Stratum): number {
  const passes = passesOf(s)
  return Math.min(s.nB, passes) - Math.max(0, passes - s.nA) + 1
}

/** A fixed order, so that the answer does not depend on the order of the cases. */
const byWidth = (s: Stratum, r: Stratum): number =>
  width(s) - width(r) || s.nA - r.nA || s.nB - r.nB || passesOf(s) - passesOf(r)

function operations(strata: readonly Stratum[]): number {
  let support = 1
  let total = 0
  for (const s of strata) {
    total += support * width(s)
    support += width(s) - 1
  }
  return total
}

function exactP(strata: readonly Stratum[], passes: number, alternative: Alternative): number {
  let sums: Lattice = pointMass(0)
  for (const s of strata) sums = convolve(sums, hypergeometric(s.nB, s.nA, passesOf(s)))
  const tail = { twoSided: noMoreLikely, less: lowerTail, greater: upperTail }[alternative]
  return tail(sums, passes)
}

function normalP(strata: readonly Stratum[], excess: number, alternative: Alternative): number {
  const variance = new Sum()
  for (const s of strata) {
    const trials = trialsOf(s)
    const passShare = passesOf(s) / trials
    variance.add((passShare * (1 - passShare) * s.nA * s.nB) / (trials - 1))
  }
  const sd = Math.sqrt(variance.value)
  if (alternative === 'less') return normalSf((-excess - 0.5) / sd)
  if (alternative === 'greater') return normalSf((excess - 0.5) / sd)
  return Math.min(1, 2 * normalSf((Math.abs(excess) - 0.5) / sd))
}

/**
 * p-value of "A and B pass equally often on each of these cases", exact unless the convolution
 * would need more than 5e8 multiplications. `less` asks whether B passes less often than A. With no
 * informative case p is 1.
 *
 * @example
 * exactStratifiedTest([
 *   { nA: 5, cA: 5, nB: 5, cB: 2 },
 *   { nA: 5, cA: 4, nB: 5, cB: 1 },
 * ]).p // 0.0205026455026455 = 31/1512
 */
export function exactStratifiedTest(
  strata: readonly Stratum[],
  alternative: Alternative = 'twoSided',
): StratifiedTest {
  checkLength('strata', strata)
  checkAlternative(alternative)
  for (const { nA, cA, nB, cB } of strata) {
    checkInteger('nA', nA, 0)
    checkInteger('cA', cA, 0, nA)
    checkInteger('nB', nB, 0)
    checkInteger('cB', cB, 0, nB)
  }
  const informative = strata.filter(isInformative).sort(byWidth)
  const passes = new Sum()
  const expected = new Sum()
  const excess = new Sum()
  for (const s of informative) {
    const mean = s.nB * (passesOf(s) / trialsOf(s))
    passes.add(s.cB)
    expected.add(mean)
    excess.add(s.cB).add(-mean)
  }
  const method = operations(informative) <= MOST_OPERATIONS ? 'exact' : 'normal'
  let p = 1
  if (informative.length > 0)
    p =
      method === 'exact'
        ? exactP(informative, passes.value, alternative)
        : normalP(informative, excess.value, alternative)
  return {
    p,
    alternative,
    method,
    passes: passes.value,
    expected: expected.value,
    informative: informative.length,
  }
}
