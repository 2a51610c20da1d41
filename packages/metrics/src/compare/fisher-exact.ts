/**
 * Fisher's exact test of one 2 x 2 table: how likely is a split this uneven, given the totals of the
 * rows and columns? It is used for single cases, which have too few trials for large-sample tests.
 *
 * The two-sided p adds the probabilities of all tables that are no more likely than the observed
 * one (within 1e-7, as R does). Twice the smaller tail would not be right, because the distribution
 * is skewed if the totals differ.
 *
 * Source: Fisher 1935; the two-sided rule after Freeman and Halton 1951.
 */
import { checkInteger } from '../domain.ts'
import { hypergeometric } from './hypergeometric.ts'
import {
  type Alternative,
  checkAlternative,
  lowerTail,
  noMoreLikely,
  upperTail,
} from './lattice.ts'

export interface FisherExact {
  readonly p: number
  readonly alternative: Alternative
  /**
   * The odds ratio ad / bc of the table [[a, b], [c, d]]. It is null if b or c is 0, because the
   * ratio is then not finite.
   */
  readonly oddsRatio: number | null
}

/**
 * The largest count that is allowed. The computation goes through all tables within about 50
 * standard deviations of the most likely one. For larger counts this would take noticeable time.
 */
const MOST = 1e9

/**
 * Returns the exact p-value of the table [[a, b], [c, d]], for the hypothesis that rows and columns
 * are unrelated. `greater` tests for an odds ratio ad / bc above 1, `less` for one below 1. With an
 * empty row or column only one table is possible, so p is 1.
 *
 * @example fisherExact(5, 0, 0, 5).p // 0.007936507936507936 = 2/252
 */
export function fisherExact(
  a: number,
  b: number,
  c: number,
  d: number,
  alternative: Alternative = 'twoSided',
): FisherExact {
  for (const [name, count] of Object.entries({ a, b, c, d })) checkInteger(name, count, 0, MOST)
  checkAlternative(alternative)
  const tables = hypergeometric(a + b, c + d, a + c)
  const tail = { twoSided: noMoreLikely, less: lowerTail, greater: upperTail }[alternative]
  return {
    p: tail(tables, a),
    alternative,
    oddsRatio: b === 0 || c === 0 ? null : (a / b) * (d / c),
  }
}
