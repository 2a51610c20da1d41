/**
 * The weights of bootstrap resamples. A resample of n cases draws n cases with replacement. The
 * weight of a distinct row is the number of drawn cases that have this row. The weights have a
 * multinomial distribution, which is drawn in one of two ways. If about 16 or more cases share each
 * row, one binomial draw per row is faster (about 120 ns each). Otherwise one draw per case is faster
 * (about 7 ns each).
 */
import { drawMultinomial } from './binomial-draw.ts'
import type { DistinctRows } from './distinct-rows.ts'
import { nextWord, type RandomState, unitDraws } from './random.ts'

const CASES_PER_ROW_FOR_BINOMIALS = 16

/** The largest number of cases whose product with a 32-bit word is exact in a double. */
const MOST_CASES_TO_TALLY = 2 ** 21

/** Returns the index of the distinct row of each case. */
function rowOfEachCase({ cases, multiplicity }: DistinctRows): Uint32Array {
  const rowOf = new Uint32Array(cases)
  let start = 0
  for (const [row, count] of multiplicity.entries()) {
    rowOf.fill(row, start, start + count)
    start += count
  }
  return rowOf
}

/**
 * Draws cases with replacement, as many as the sample has, and counts how often each distinct row
 * was drawn. The index of a drawn case is floor(cases · word/2^32) with a random 32-bit word. If
 * the fractional part of the product is below (2^32 mod cases)/2^32, the word is drawn again, so
 * that all cases are equally likely (Lemire 2019).
 */
function tally(state: RandomState, rowOf: Uint32Array, weights: Float64Array): void {
  const cases = rowOf.length
  const unfair = (2 ** 32 % cases) / 2 ** 32
  const scale = cases / 2 ** 32
  weights.fill(0)
  for (let drawn = 0; drawn < cases;) {
    const scaled = nextWord(state) * scale
    const chosen = scaled | 0 // `| 0` cuts off the fraction. Math.trunc made the whole loop twice as slow (V8 of Node 24).
    if (scaled - chosen < unfair) continue
    const row = rowOf[chosen] as number
    weights[row] = (weights[row] as number) + 1
    drawn++
  }
}

/**
 * Calls `visit` with the weights of `count` resamples, one after the other, from one generator. It
 * passes the same array each time, so `visit` must copy the array to keep it.
 */
export function forEachResample(
  rows: DistinctRows,
  state: RandomState,
  count: number,
  visit: (weights: Float64Array, resample: number) => void,
): void {
  const { cases, multiplicity } = rows
  const weights = new Float64Array(multiplicity.length)
  const byBinomials =
    multiplicity.length * CASES_PER_ROW_FOR_BINOMIALS <= cases || cases > MOST_CASES_TO_TALLY
  if (byBinomials) {
    const random = unitDraws(state)
    const last = multiplicity.length - 1
    for (let resample = 0; resample < count; resample++) {
      drawMultinomial(random, cases, multiplicity, cases, last, weights)
      visit(weights, resample)
    }
  } else {
    const rowOf = rowOfEachCase(rows)
    for (let resample = 0; resample < count; resample++) {
      tally(state, rowOf, weights)
      visit(weights, resample)
    }
  }
}
