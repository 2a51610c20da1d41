/**
 * Makes one side of a comparison from the scores of its trials. A score of 1 is a pass, all others are failures.
 */
import type { Source } from '@assay/contract'
import type { Report } from '../src/report/index.ts'
import { fakeSource, fakeTrial } from './fake-source.ts'

export interface FakeCase {
  /** Null if the trial errored. */
  readonly scores: readonly (number | null)[]
  /** The cost and duration of each trial. A price of null is unknown. */
  readonly usd?: number | null
  readonly ms?: number
  readonly hash?: string
}

export interface FakeSide {
  readonly subject?: string
  readonly suite?: string
  readonly source?: Source
}

export function fakeSide(
  cases: Readonly<Record<string, FakeCase | readonly (number | null)[]>>,
  { subject = 'fake', suite = 'suite', source = 'live' }: FakeSide = {},
  change: Partial<Report> = {},
): Report {
  const given = Object.entries(cases).map(([name, one]) => ({
    name,
    one: 'scores' in one ? one : { scores: one },
  }))
  const trials = given.flatMap(({ name, one: { scores, usd = 0.001, ms = 100 } }) =>
    scores.map((score, index) =>
      fakeTrial({
        suite,
        case: name,
        subject,
        index,
        source,
        score,
        outcome: score === null ? 'errored' : score === 1 ? 'passed' : 'failed',
        cost: { answerUsd: usd, judgeUsd: null, spentUsd: usd ?? 0 },
        time: { startedAt: '', answerMs: ms, waitMs: 0, gradeMs: 0 },
      }),
    ),
  )
  const hashes = new Map(given.map(({ name, one }) => [name, one.hash]))
  const { report } = fakeSource(trials, change)
  return {
    ...report,
    subjects: report.subjects.map((row) => ({
      ...row,
      cases: row.cases.map((one) => ({ ...one, caseHash: hashes.get(one.case) ?? one.caseHash })),
    })),
  }
}

/** Makes one report with several subjects. */
export const joined = (first: Report, ...others: readonly Report[]): Report => ({
  ...first,
  provenance: {
    ...first.provenance,
    subjects: [first, ...others].flatMap(({ provenance }) => provenance.subjects),
  },
  subjects: [first, ...others].flatMap(({ subjects }) => subjects),
})

/** Makes a case with this many passes in this many trials. */
export const passes = (c: number, n: number): number[] =>
  Array.from({ length: n }, (_, i) => (i < c ? 1 : 0))

/** Makes a side whose cases all have the same number of trials, from the passes of each case. */
export const sideOf = (n: number, counts: readonly number[], side: FakeSide = {}): Report =>
  fakeSide(Object.fromEntries(counts.map((c, i) => [`c${i}`, passes(c, n)])), side)
