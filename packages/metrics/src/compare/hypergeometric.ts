/**
 * The hypergeometric distribution: how many marked items a random draw without replacement
 * contains. If rows and columns of a 2 x 2 table are unrelated, its first cell has this
 * distribution, given the row and column totals. Fisher's exact test uses it for one table, the
 * stratified test for one table per case.
 */
import { fromRatios, type Lattice } from './lattice.ts'

/**
 * Returns the distribution of the number of marked items among `drawn` items. The items are drawn
 * from `marked` marked and `others` unmarked ones.
 */
export function hypergeometric(marked: number, others: number, drawn: number): Lattice {
  const low = Math.max(0, drawn - others)
  const high = Math.min(marked, drawn)
  // Any start from `low` to `high` gives the right ratios. The start is the mode, the most likely
  // number, so that no weight is larger than the first one and none overflows.
  const mode = Math.floor(((drawn + 1) * (marked + 1)) / (marked + others + 2))
  return fromRatios(
    low,
    high,
    Math.min(high, Math.max(low, mode)),
    (k) => ((marked - k) * (drawn - k)) / ((k + 1) * (others - drawn + k + 1)),
  )
}
