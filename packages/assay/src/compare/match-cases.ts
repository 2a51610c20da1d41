/**
 * Matches the cases of two subjects and applies the rule of the code-scoring specification (see
 * docs/reference/formulas.md) to each case. The score of a case is the mean over its trials. A case changed if its
 * score moved by strictly more than the threshold, in absolute points.
 *
 * Missing data never makes a case "unchanged". A case that only one side has is new or removed. A case is not
 * comparable, with a reason, if its text or its grading changed, or if it has no scored trial on one side.
 */
import { classifyChange } from '@assay/metrics'
import { groupNames, type CaseReport, type Report } from '../report/index.ts'
import type { SubjectPair } from './pair-subjects.ts'

/** A case that both subjects ran. Each subject has at least one score for it. */
export interface CasePair {
  readonly suite: string
  readonly case: string
  readonly a: CaseReport
  readonly b: CaseReport
}

/**
 * Returns the group of each pair. It comes from the current run, or from the baseline if the current run has none.
 * Undefined if no two pairs share a group.
 */
export const groupsOf = (pairs: readonly CasePair[]): readonly string[] | undefined =>
  groupNames(pairs.map(namedPair))

export const namedPair = ({ suite, case: one, a, b }: CasePair): { id: string; group?: string } => {
  const group = b.group ?? a.group
  const id = keyOf(suite, one)
  return group === undefined ? { id } : { id, group: keyOf(suite, group) }
}

export interface CaseName {
  readonly case_id: string
  readonly suite: string
  readonly model: string
}

/** A case with its score on both sides. The field names are those of the code-scoring specification. */
export interface CaseChange extends CaseName {
  /** The subject's name in the baseline. */
  readonly baseline_model: string
  readonly baseline_score: number
  readonly current_score: number
  readonly delta: number
  readonly baseline_trials: number
  readonly current_trials: number
  /** The p-value of Fisher's exact test on the passes of this case. */
  readonly p: number
  /** `p`, adjusted over all cases of the comparison (method of Benjamini and Hochberg). */
  readonly adjusted_p: number
}

export type Incomparable =
  | 'the case changed'
  | 'no scored trial in the baseline'
  | 'no scored trial in the current run'
  | 'no scored trial on either side'

export interface NotComparable extends CaseName {
  readonly reason: Incomparable
}

export interface MatchedCases {
  readonly pairs: readonly CasePair[]
  readonly added: readonly CaseName[]
  readonly removed: readonly CaseName[]
  readonly incomparable: readonly NotComparable[]
}

/** Returns a key for a map. The key is JSON, so different names never give the same key. */
export const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts)

/**
 * Sorts by suite, case and subject. The result then does not depend on the order of lines in a log or of suites in a
 * run.
 */
export const byName = (a: CaseName, b: CaseName): number =>
  ordered(a.suite, b.suite) || ordered(a.case_id, b.case_id) || ordered(a.model, b.model)

const ordered = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Returns the names of two suites that are compared although their names differ. That is so if each side has a single
 * suite. Otherwise returns null.
 */
export function renamedSuite(baseline: Report, current: Report): [string, string] | null {
  const [from, ...others] = new Set(baseline.subjects.map(({ suite }) => suite))
  const [to, ...more] = new Set(current.subjects.map(({ suite }) => suite))
  if (from === undefined || to === undefined || from === to) return null
  return others.length + more.length === 0 ? [from, to] : null
}

/** Returns a subject's cases by suite and case name. For a renamed suite, the name in the current run is used. */
function casesOf(
  report: Report,
  subject: string,
  rename: readonly [string, string] | null,
): Map<string, { suite: string; found: CaseReport }> {
  const cases = new Map<string, { suite: string; found: CaseReport }>()
  for (const row of report.subjects) {
    if (row.subject !== subject) continue
    const suite = rename !== null && row.suite === rename[0] ? rename[1] : row.suite
    for (const found of row.cases) cases.set(keyOf(suite, found.case), { suite, found })
  }
  return cases
}

/**
 * Matches the cases of two subjects. `sameAnswers` means that both sides graded the same answers. Then a case whose
 * graders changed still counts as the same case.
 */
export function matchCases(
  baseline: Report,
  current: Report,
  pair: SubjectPair,
  sameAnswers = false,
): MatchedCases {
  const before = casesOf(baseline, pair.baseline, renamedSuite(baseline, current))
  const after = casesOf(current, pair.current, null)
  const pairs: CasePair[] = []
  const removed: CaseName[] = []
  const incomparable: NotComparable[] = []
  const model = pair.current
  for (const [key, { suite, found: a }] of before) {
    const b = after.get(key)?.found
    const name = { case_id: a.case, suite, model }
    if (b === undefined) {
      removed.push({ ...name, model: pair.baseline })
      continue
    }
    const reason = whyNot(a, b, sameAnswers)
    if (reason === null) pairs.push({ suite, case: a.case, a, b })
    else incomparable.push({ ...name, reason })
  }
  const added = [...after]
    .filter(([key]) => !before.has(key))
    .map(([, { suite, found }]) => ({ case_id: found.case, suite, model }))
  return {
    pairs: pairs.sort((x, y) => ordered(x.suite, y.suite) || ordered(x.case, y.case)),
    added: added.sort(byName),
    removed: removed.sort(byName),
    incomparable: incomparable.sort(byName),
  }
}

/**
 * Whether the case changed between the two runs. Results of other programs may not contain the prompt. Then the hash is
 * empty, which means unknown, not different.
 */
const changed = (a: CaseReport, b: CaseReport): boolean =>
  a.caseHash !== '' && b.caseHash !== '' && a.caseHash !== b.caseHash

function whyNot(a: CaseReport, b: CaseReport, sameAnswers: boolean): Incomparable | null {
  if (!sameAnswers && changed(a, b)) return 'the case changed'
  const [before, after] = [a.sums.scores > 0, b.sums.scores > 0]
  if (!before && !after) return 'no scored trial on either side'
  if (!before) return 'no scored trial in the baseline'
  return after ? null : 'no scored trial in the current run'
}

export const scoreOf = ({ sums }: CaseReport): number => sums.score / sums.scores

export function changeOf(pair: CasePair, threshold: number): ReturnType<typeof classifyChange> {
  return classifyChange(scoreOf(pair.a), scoreOf(pair.b), threshold)
}
