/**
 * Compares two runs that have the same answers and differ only in grading: a run with its regrade, or two regrades of
 * one run. A difference is then a fact about these answers, not a statistical estimate.
 */
import type { Report } from '../report/index.ts'
import { counted } from '../text/index.ts'
import type { MetricChange } from './gate-verdict.ts'
import { scoreOf, type CasePair } from './match-cases.ts'

/** How many cases have a higher, a lower or the same mean score. */
export interface Regraded {
  readonly higher: number
  readonly lower: number
  readonly same: number
  /**
   * Whether a judge graded some of the answers. A judge might grade the same answer differently when it is asked again.
   */
  readonly judged: boolean
}

const answersOf = ({ run, provenance }: Report): string => provenance.regrades?.id ?? run.id

export const haveSameAnswers = (baseline: Report, current: Report): boolean =>
  (baseline.provenance.regrades !== undefined || current.provenance.regrades !== undefined) &&
  answersOf(baseline) === answersOf(current)

export function regradedOf(
  baseline: Report,
  current: Report,
  pairs: readonly CasePair[],
): Regraded | null {
  if (!haveSameAnswers(baseline, current)) return null
  const moves = pairs.map(({ a, b }) => scoreOf(b) - scoreOf(a))
  const higher = moves.filter((move) => move > 1e-12).length
  const lower = moves.filter((move) => move < -1e-12).length
  const judged = [baseline, current].some(({ judging = [] }) => judging.length > 0)
  return { higher, lower, same: pairs.length - higher - lower, judged }
}

/** Whether the difference is exact: every answer is graded on both sides, and no judge graded any of them. */
export const isExact = ({ judged }: Regraded, pairs: readonly CasePair[]): boolean =>
  !judged && pairs.every(({ a, b }) => a.n === b.n)

/** Replaces the statistical verdict with one that only compares the change with its margin. */
export function exactly(change: MetricChange): MetricChange {
  if (change.change === null) return change
  const worse = change.scale === 'ratio' ? change.change : -change.change
  const verdict =
    worse > change.margin + 1e-9
      ? 'regression'
      : worse < -change.margin - 1e-9
        ? 'improvement'
        : 'noRegression'
  const reason = 'the same answers, graded again: no chance is involved'
  const without = { interval: null, together: null, p: null, adjustedP: null, needed: null }
  return { ...change, ...without, verdict, reason }
}

/** Says in one sentence what changed. */
export function regradedText({ higher, lower, same, judged }: Regraded): string {
  const all = higher + lower + same
  const moved =
    higher + lower === 0
      ? `no score of ${counted(all, 'case')} changed`
      : `${higher + lower} of ${counted(all, 'case')} changed, ${higher} for the better and ${lower} for the worse`
  return `The same answers, graded again: ${moved}.${judged ? ' Judges may say something else when they are asked once more.' : ''}`
}
