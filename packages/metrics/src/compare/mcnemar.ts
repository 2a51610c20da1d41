/**
 * McNemar's test: of the cases on which two subjects disagree, does one win more than half? With
 * one trial per case it is the exact paired test; with more, see exact-stratified-test.ts, which
 * contains it.
 *
 * The exact p is a two-sided binomial test at 1/2. Being discrete it is conservative (true size
 * about 2 % at 10 disagreements); the mid-p counts only half of what is exactly as extreme as the
 * data, and is close to its nominal size at the price of no longer being guaranteed.
 *
 * Source: McNemar 1947; mid-p after Fagerland, Lydersen and Laake 2013, BMC Med Res Methodol 13:91.
 */
import { checkInteger } from '../domain.ts'
import { fromRatios, lowerTail, pointShare } from './lattice.ts'

export interface McNemar {
  /** Exact two-sided p-value. */
  readonly p: number
  readonly midP: number
  /** Cases on which the two disagree: all the test looks at. */
  readonly discordant: number
}

const MOST = 1e9

/**
 * Exact and mid-p two-sided p-values from the cases only A passed (b) and the cases only B passed
 * (c). Without any disagreement there is nothing to test and both are 1.
 *
 * @example mcnemar(1, 7) // { p: 0.0703125, midP: 0.0390625, discordant: 8 }
 */
export function mcnemar(b: number, c: number): McNemar {
  checkInteger('b', b, 0, MOST)
  checkInteger('c', c, 0, MOST)
  const discordant = b + c
  if (discordant === 0) return { p: 1, midP: 1, discordant }
  const wins = fromRatios(
    0,
    discordant,
    Math.floor(discordant / 2),
    (k) => (discordant - k) / (k + 1),
  )
  const fewer = Math.min(b, c)
  // Halfway there is one outcome as extreme as the data instead of two, and every other is more
  // extreme.
  if (b === c) return { p: 1, midP: 1 - pointShare(wins, fewer) / 2, discordant }
  const atMost = lowerTail(wins, fewer)
  return { p: Math.min(1, 2 * atMost), midP: atMost + lowerTail(wins, fewer - 1), discordant }
}
