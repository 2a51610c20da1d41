/**
 * The case lists that the code-scoring specification defines. Each case is listed with its score in both runs. The
 * threshold decides whether the case is a regression, an improvement or unchanged. Each case also has a p-value for the
 * change of its passes. One test per case means many tests, so the p-values are adjusted together (method of Benjamini
 * and Hochberg).
 */
import { adjustP, fisherExact } from '@assay/metrics'
import type { Report } from '../report/index.ts'
import {
  byName,
  changeOf,
  keyOf,
  scoreOf,
  type CaseChange,
  type CaseName,
  type CasePair,
  type MatchedCases,
} from './match-cases.ts'
import type { SubjectPair } from './pair-subjects.ts'

/** Two subjects that are compared, and the cases that both of them have. */
export interface Compared {
  readonly pair: SubjectPair
  readonly matched: MatchedCases
}

export type CaseLists = Record<'regressions' | 'improvements' | 'unchanged', CaseChange[]>
const LIST = {
  regression: 'regressions',
  improvement: 'improvements',
  unchanged: 'unchanged',
} as const

export function caseLists(compared: readonly Compared[], threshold: number): CaseLists {
  const lists: CaseLists = { regressions: [], improvements: [], unchanged: [] }
  const all = compared.flatMap(({ pair, matched }) => matched.pairs.map((one) => ({ pair, one })))
  const raw = all.map(({ one }) => fisherOf(one))
  const adjusted = adjustP(raw, 'bh')
  for (const [i, { pair, one }] of all.entries()) {
    const [baseline_score, current_score] = [scoreOf(one.a), scoreOf(one.b)]
    lists[LIST[changeOf(one, threshold)]].push({
      case_id: one.case,
      suite: one.suite,
      model: pair.current,
      baseline_model: pair.baseline,
      baseline_score,
      current_score,
      delta: current_score - baseline_score,
      baseline_trials: one.a.n,
      current_trials: one.b.n,
      p: raw[i] as number,
      adjusted_p: adjusted[i] as number,
    })
  }
  for (const list of Object.values(lists)) list.sort(byName)
  return lists
}

const fisherOf = ({ a, b }: CasePair): number => fisherExact(a.c, a.n - a.c, b.c, b.n - b.c).p

/** Returns the names of all cases of these subjects. */
export function namesOf(report: Report, subjects: readonly string[]): CaseName[] {
  const names = report.subjects
    .filter(({ subject }) => subjects.includes(subject))
    .flatMap(({ suite, subject, cases }) =>
      cases.map((one) => ({ case_id: one.case, suite, model: subject })),
    )
  return [...new Map(names.map((one) => [keyOf(one.suite, one.case_id, one.model), one])).values()]
}
