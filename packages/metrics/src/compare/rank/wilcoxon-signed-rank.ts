/**
 * Wilcoxon's signed-rank test: the sign-flip test with the ranks of the differences instead of the
 * differences themselves. So only the rank of a very large difference matters, not its size.
 *
 * The p-value is exact also with ties. If there is no difference, all 2^m sign patterns of the m
 * midranks are equally likely. A midrank is the mean rank that equal values share. The same
 * algorithm as in the sign-flip test (sign-sum.ts) counts the patterns for each sum of positive
 * midranks. Published tables and scipy's exact mode are valid only without ties. The caller chooses
 * whether zeros are dropped before ranking (Wilcoxon 1945, the default of R and scipy) or ranked
 * and then dropped (Pratt 1959). Two differences count as equal if they are closer than 1e-12 of
 * the largest difference, because 0.3 − 0.1 and 0.8 − 0.6 are not the same double.
 *
 * Source: Wilcoxon 1945; Pratt 1959.
 */
import { checkLength, checkNumber } from '../../domain.ts'
import { normalSf } from '../../special/normal.ts'
import { type Alternative, checkAlternative, lowerTail, upperTail } from '../lattice.ts'
import { midranks } from './midranks.ts'
import { signSum } from './sign-sum.ts'

export interface SignedRank {
  readonly p: number
  readonly alternative: Alternative
  /**
   * `normal`: p is a normal approximation with tie and continuity correction, used for more than
   * 400 differences.
   */
  readonly method: 'exact' | 'normal'
  /** Sum of the ranks of the positive differences. */
  readonly positive: number
  /** Sum of the ranks of the negative differences. */
  readonly negative: number
  /** The number of differences that are not zero. */
  readonly nonzero: number
}

/** How differences of zero are handled; see the comment at the top of this file. */
export type ZeroRule = 'wilcoxon' | 'pratt'

const MOST_EXACT = 400
const TIED_WITHIN = 1e-12

/**
 * Returns the p-value of the hypothesis "the differences are symmetric about zero". `greater` tests
 * for positive differences, `less` for negative ones. If all differences are zero, p is 1.
 *
 * @example wilcoxonSignedRank([1, 2, 3, 4, -5]).p // 0.625
 */
export function wilcoxonSignedRank(
  differences: readonly number[],
  alternative: Alternative = 'twoSided',
  zeros: ZeroRule = 'wilcoxon',
): SignedRank {
  checkLength('differences', differences)
  for (const d of differences) checkNumber('differences', d)
  checkAlternative(alternative)
  if (zeros !== 'wilcoxon' && zeros !== 'pratt')
    throw new RangeError(`zeros must be wilcoxon or pratt, got ${JSON.stringify(zeros)}`)
  const largest = differences.reduce((most, d) => Math.max(most, Math.abs(d)), 0)
  const tolerance = largest * TIED_WITHIN
  const kept = zeros === 'pratt' ? differences : differences.filter((d) => Math.abs(d) > tolerance)
  const { doubled } = midranks(
    kept.map((d) => Math.abs(d)),
    tolerance,
  )
  const signed = kept.map((d, i) => ({ d, rank: doubled[i] as number }))
  const ranks: number[] = []
  let positive = 0
  for (const { d, rank } of signed) {
    if (Math.abs(d) <= tolerance) continue
    ranks.push(rank)
    if (d > 0) positive += rank
  }
  const total = ranks.reduce((sum, rank) => sum + rank, 0)
  const method = ranks.length <= MOST_EXACT ? 'exact' : 'normal'
  return {
    p: (method === 'exact' ? exactP : normalP)(ranks, positive, total, alternative),
    alternative,
    method,
    positive: positive / 2,
    negative: (total - positive) / 2,
    nonzero: ranks.length,
  }
}

function exactP(
  ranks: readonly number[],
  positive: number,
  total: number,
  alternative: Alternative,
): number {
  const sums = signSum(ranks)
  if (alternative === 'less') return lowerTail(sums, positive)
  if (alternative === 'greater') return upperTail(sums, positive)
  return Math.min(1, 2 * upperTail(sums, Math.max(positive, total - positive)))
}

function normalP(
  ranks: readonly number[],
  positive: number,
  total: number,
  alternative: Alternative,
): number {
  // The ranks are doubled, so the continuity correction is 1 instead of one half. The random sign of
  // each rank adds rank²/4 to the variance. The sum equals the usual variance formula with its
  // corrections for ties and zeros.
  const sd = Math.sqrt(ranks.reduce((sum, rank) => sum + rank * rank, 0)) / 2
  const excess = positive - total / 2
  if (alternative === 'less') return normalSf((-excess - 1) / sd)
  if (alternative === 'greater') return normalSf((excess - 1) / sd)
  return Math.min(1, 2 * normalSf((Math.abs(excess) - 1) / sd))
}
