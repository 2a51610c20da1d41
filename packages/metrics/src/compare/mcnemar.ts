/**
 * McNemar's test: among the cases on which two subjects disagree, does one subject win more than
 * half? It is the exact paired test for one trial per case. For several trials per case, use
 * exactStratifiedTest, which equals this test if every case has one trial per subject.
 *
 * The exact p is a two-sided binomial test at 1/2. Because it is discrete, it is conservative: at
 * 10 disagreements, a test at 5 % rejects a true hypothesis in only about 2 % of runs (its true
 * size). The mid-p counts only half of the outcomes that are exactly as extreme as the data. Its
 * true size is close to the nominal one, but can be above it.
 *
 * Source: McNemar 1947; mid-p after Fagerland, Lydersen and Laake 2013, BMC Med Res Methodol 13:91.
 */
import { checkInteger } from '../domain.ts'
import { fromRatios, lowerTail, pointShare } from './lattice.ts'

export interface McNemar {
  /** Exact two-sided p-value. */
  readonly p: number
  readonly midP: number
  /** The number of cases on which the two subjects disagree. The test uses only these cases. */
  readonly discordant: number
}

const MOST = 1e9

/**
 * Returns the exact and the mid-p two-sided p-value. b is the number of cases that only A passed, c
 * the number that only B passed. If both are 0, both p-values are 1.
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
  // If b = c, the data are the middle of the distribution. No other outcome is exactly as extreme
  // as the data, and all others are more extreme.
  if (b === c) return { p: 1, midP: 1 - pointShare(wins, fewer) / 2, discordant }
  const atMost = lowerTail(wins, fewer)
  return { p: Math.min(1, 2 * atMost), midP: atMost + lowerTail(wins, fewer - 1), discordant }
}
