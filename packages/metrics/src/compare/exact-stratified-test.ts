/**
 * Tests whether anything changed on exactly these cases, between two subjects A and B. For each
 * case, the total number of passes of A and B is taken as given. If A and B are equally good on the
 * case, B's number of passes has a hypergeometric distribution. The test statistic is the sum of
 * B's passes over the cases. Its null distribution is the convolution of the distributions of the
 * cases. Easy and hard cases can be mixed, because A and B are compared within each case only. A
 * case on which all trials passed, or all failed, carries no information and is skipped.
 *
 * This is the exact conditional Cochran-Mantel-Haenszel test. With one case it is Fisher's test;
 * with one trial per case and subject it is McNemar's. The two-sided p adds the probabilities of
 * all sums that are no more likely than the observed one (within 1e-7, as in R's
 * mantelhaen.test(exact = TRUE)). If cases change in both directions and the mean stays the same,
 * the test still reports a change more often than alpha, the error rate of the test. That is
 * intended, because something did change. To ask whether the average changed, use pairedDifference.
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

/** One case: A has nA trials, of which cA passed. B has nB trials, of which cB passed. */
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
   * `exact`: p comes from the exact distribution. `normal`: p comes from the Mantel-Haenszel z with
   * continuity correction, because the exact distribution would take too long.
   */
  readonly method: 'exact' | 'normal'
  /** The number of passes of B on the informative cases. */
  readonly passes: number
  /**
   * The number of passes of B that is expected if A and B are equal, given the passes of both
   * together.
   */
  readonly expected: number
  /**
   * The number of informative cases. A case is informative if both subjects tried it, and some
   * trials passed and some failed.
   */
  readonly informative: number
}

/** The largest number of multiplications of the exact test. More would take seconds. */
const MOST_OPERATIONS = 5e8

const passesOf = (s: Stratum): number => s.cA + s.cB
const trialsOf = (s: Stratum): number => s.nA + s.nB

function isInformative(s: Stratum): boolean {
  const passes = passesOf(s)
  return s.nA > 0 && s.nB > 0 && passes > 0 && passes < trialsOf(s)
}

/**
 * Returns how many values B's number of passes can take on a case, given the passes of A and B
 * together.
 */
function width(s: Stratum): number {
  const passes = passesOf(s)
  return Math.min(s.nB, passes) - Math.max(0, passes - s.nA) + 1
}

/**
 * The order in which the cases are added. It does not depend on the order of the input, so rounding
 * does not depend on it either.
 */
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
 * Returns the p-value of the hypothesis "A and B pass equally often on each of these cases". It is
 * exact unless the exact test would need more than 5e8 multiplications. `less` tests whether B
 * passes less often than A. If no case is informative, p is 1.
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
