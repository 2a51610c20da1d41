/**
 * The weights of bootstrap resamples: how often each distinct row of cases is drawn when as many
 * cases as there are get drawn with replacement. Two ways to the same multinomial distribution:
 * with few distinct rows a binomial draw per row; with many, one draw per case, which at about 7 ns
 * is cheaper than the roughly 120 ns of a binomial draw as soon as fewer than some 16 cases share a
 * row.
 */
import { drawMultinomial } from './binomial-draw.ts'
import type { DistinctRows } from './distinct-rows.ts'
import { nextWord, type RandomState, unitDraws } from './random.ts'

const CASES_PER_ROW_FOR_BINOMIALS = 16

/** The largest count whose product with a 32-bit word is exact in a double. */
const MOST_CASES_TO_TALLY = 2 ** 21

/** For each case the distinct row it has. */
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
 * Draws a case for each case. The draw is floor(cases · word/2^32), and words whose fraction falls
 * below (2^32 mod cases)/2^32 are drawn again, so that no case is favoured (Lemire 2019).
 */
function tally(state: RandomState, rowOf: Uint32Array, weights: Float64Array): void {
  const cases = rowOf.length
  const unfair = (2 ** 32 % cases) / 2 ** 32
  const scale = cases / 2 ** 32
  weights.fill(0)
  for (let drawn = 0; drawn < cases;) {
    const scaled = nextWord(state) * scale
    const chosen = scaled | 0 // Math.trunc made the whole loop twice as slow (V8 of Node 24)
    if (scaled - chosen < unfair) continue
    const row = rowOf[chosen] as number
    weights[row] = (weights[row] as number) + 1
    drawn++
  }
}

/**
 * Calls `visit` with the weights of `count` resamples, one after the other from one generator. The
 * array is the same each time: who wants to keep it copies it.
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
