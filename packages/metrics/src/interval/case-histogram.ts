/**
 * The histogram of a suite: how many cases have each pair (n, c) of trials and passes. Cases with
 * the same n and c have the same pass@k, so metrics need only this histogram. This makes metrics
 * fast: for example, 10,000 cases with 100 trials each have a histogram of at most 101 rows.
 */
import { checkInteger } from '../domain.ts'
import type { CaseCounts } from '../metric.ts'

export interface CountedCase extends CaseCounts {
  /** How many cases have these counts. */
  readonly cases: number
}

/**
 * Returns each distinct pair (n, c) once, with the number of cases that have it. The pairs are sorted, so the order of
 * the input has no effect.
 */
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
