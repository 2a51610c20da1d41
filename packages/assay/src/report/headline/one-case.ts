/**
 * Computes how many more trials of a single case would probably show which of two subjects passes it more often. It
 * assumes that the observed pass rates are the true ones. It computes the interval of the report again with more trials
 * of these rates, at a level that corresponds to a power of 80 %.
 */
import type { CaseScores } from '@assay/metrics'
import { pairIntervals } from '../figures/pair-difference.ts'
import { levelWithPower } from '../gates/needed.ts'

/** The maximum number of trials. More are not practical. */
const MOST_TRIALS = 100_000

/**
 * Returns how many more trials would show which subject passes the case more often. Null if both pass it equally often,
 * or if no practical number of trials is enough.
 */
export function trialsForOneCase(a: CaseScores, b: CaseScores, level: number): number | null {
  if (Math.abs(a.sum / a.n - b.sum / b.n) < 1e-9) return null
  const strict = levelWithPower(level)
  const isEnough = (more: number): boolean => {
    const { fixed } = pairIntervals(
      { kind: 'passes', before: [withMore(a, more)], after: [withMore(b, more)] },
      strict,
    )
    return fixed !== null && (fixed.low > 0 || fixed.high < 0)
  }
  let [enough, tooFew] = [1, 0]
  while (!isEnough(enough)) {
    tooFew = enough
    enough *= 2
    if (enough > MOST_TRIALS) return null
  }
  while (enough - tooFew > 1) {
    const middle = Math.floor((enough + tooFew) / 2)
    if (isEnough(middle)) enough = middle
    else tooFew = middle
  }
  return enough
}

/** Returns the case with more trials at the same pass rate. The number of passes is rounded to a whole number. */
function withMore({ n, sum }: CaseScores, more: number): CaseScores {
  const passes = Math.round((sum * (n + more)) / n)
  return { n: n + more, sum: passes, sumSq: passes }
}
