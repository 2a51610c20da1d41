/**
 * Fisher's exact test of one 2 x 2 table: given both margins, how surprising is the split? Used per
 * case, where a handful of trials rules out every large-sample test.
 *
 * The two-sided p adds all tables no more likely than the observed one (within 1e-7, as R does),
 * not twice the smaller tail: the distribution is skewed whenever the margins differ.
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
  /** The sample odds ratio ad / bc; null where b or c is 0 and it has no finite value. */
  readonly oddsRatio: number | null
}

/** Above this the walk over the tables, about 50 standard deviations long, is no longer instant. */
const MOST = 1e9

/**
 * Exact p-value of the table [[a, b], [c, d]]. `greater` asks for an odds ratio ad / bc above 1,
 * `less` for one below. An empty row or column leaves a single table, so p is 1.
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
