/**
 * How many of `marked` land in a random draw: the null distribution of a 2 x 2 table whose margins
 * are given. One table of it is Fisher's exact test, one per case the stratified test.
 */
import { fromRatios, type Lattice } from './lattice.ts'

/** The number of marked among `drawn` taken without replacement from marked + others. */
export function hypergeometric(marked: number, others: number, drawn: number): Lattice {
  const low = Math.max(0, drawn - others)
  const high = Math.min(marked, drawn)
  // Any start inside the range is right; the mode keeps every weight in range.
  const mode = Math.floor(((drawn + 1) * (marked + 1)) / (marked + others + 2))
  return fromRatios(
    low,
    high,
    Math.min(high, Math.max(low, mode)),
    (k) => ((marked - k) * (drawn - k)) / ((k + 1) * (others - drawn + k + 1)),
  )
}
