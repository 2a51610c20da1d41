/**
 * The hypergeometric distribution: how many marked items a random draw without replacement contains.
 * It is the null distribution of a 2 x 2 table with given row and column totals. Fisher's exact test
 * uses it for one table, the stratified test for one table per case.
 */
import { fromRatios, type Lattice } from './lattice.ts'

/** The number of marked items among `drawn` items that are taken from marked + others. */
export function hypergeometric(marked: number, others: number, drawn: number): Lattice {
  const low = Math.max(0, drawn - others)
  const high = Math.min(marked, drawn)
  // Any start in [low, high] gives the right ratios. A start at the mode avoids an overflow of
  // weights.
  const mode = Math.floor(((drawn + 1) * (marked + 1)) / (marked + others + 2))
  return fromRatios(
    low,
    high,
    Math.min(high, Math.max(low, mode)),
    (k) => ((marked - k) * (drawn - k)) / ((k + 1) * (others - drawn + k + 1)),
  )
}
