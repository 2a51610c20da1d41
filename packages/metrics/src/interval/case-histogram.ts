/**
 * Cases with the same trials and passes have the same pass@k, so a suite is its histogram of (n, c): a
 * million trials of 10,000 cases are at most 101 rows when each case was tried 100 times.
 */
import { checkInteger } from '../domain.ts'
import type { CaseCounts } from '../metric.ts'

export interface CountedCase extends CaseCounts {
  /** How many cases have these counts. */
  readonly cases: number
}

/** The distinct (n, c) with their number, in order of n and c, so that sums do not depend on the input's. */
export function caseHistogram(cases: readonly CaseCounts[]): readonly CountedCase[] {
  const byTrials = new Map<number, Map<number, number>>()
  for (const { n, c } of cases) {
    checkInteger('n', n, 0)
    checkInteger('c', c, 0, n)
    const byPasses = byTrials.get(n) ?? new Map<number, number>()
    byTrials.set(n, byPasses.set(c, (byPasses.get(c) ?? 0) + 1))
  }
  const rows: CountedCase[] = []
  for (const [n, byPasses] of byTrials)
    for (const [c, count] of byPasses) rows.push({ n, c, cases: count })
  return rows.sort((a, b) => a.n - b.n || a.c - b.c)
}
