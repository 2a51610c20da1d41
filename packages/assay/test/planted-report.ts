/** A report of planted results: for each subject the passes of its cases, so that the truth is known. */
import type { Trial } from '@assay/contract'
import type { Report } from '../src/report/index.ts'
import { buildHeadline } from '../src/report/headline/index.ts'
import { reportOf, trialOf } from './report-of.ts'

/** The trials of one case: n of them, of which c passed. The others of `planned` errored, or were not run. */
export interface PlantedCase {
  readonly n: number
  readonly c: number
  readonly errored?: number
  readonly unscored?: number
  readonly notRun?: number
}

export interface PlantedSubject {
  readonly cases: readonly PlantedCase[]
  /** The price of a trial. Null if it is unknown. */
  readonly usd?: number | null
  readonly source?: 'live' | 'simulated'
}

/** `times` cases with the same counts. */
export const same = (times: number, n: number, c: number): PlantedCase[] =>
  Array.from({ length: times }, () => ({ n, c }))

/** Cases of n trials each, with these passes. */
export const passes = (n: number, ...counts: readonly number[]): PlantedCase[] =>
  counts.map((c) => ({ n, c }))

const plannedOf = ({ n, errored = 0, unscored = 0, notRun = 0 }: PlantedCase): number =>
  n + errored + unscored + notRun

const idOf = (i: number): string => `case-${i}`

/** The trials that a log of these results would have. */
export const plantedTrials = (
  subjects: Readonly<Record<string, PlantedSubject>>,
  suite: string = 's',
): Trial[] =>
  Object.entries(subjects).flatMap(([subject, { cases, usd = 0.01, source = 'live' }]) =>
    cases.flatMap((one, i) => trialsOf(subject, idOf(i), one, usd, source, suite)),
  )

export function planted(
  subjects: Readonly<Record<string, PlantedSubject>>,
  {
    suite = 's',
    groups = [],
    tiers = false,
  }: { suite?: string; groups?: readonly string[]; tiers?: boolean } = {},
): Report {
  const names = Object.keys(subjects)
  const most = Math.max(...names.map((name) => subjects[name]?.cases.length ?? 0))
  const cases = Array.from({ length: most }, (_, i) => ({
    id: idOf(i),
    trials: Math.max(
      1,
      ...names.map((name) => plannedOf(subjects[name]?.cases[i] ?? { n: 0, c: 0 })),
    ),
  }))
  const trials = plantedTrials(subjects, suite)
  const report = reportOf(
    [{ id: suite, cases }],
    names.map((id) => ({ id, source: subjects[id]?.source ?? 'live' })),
    trials,
    { passK: [1], ...(tiers ? { tiers: { order: names, baseline: names[0] as string } } : {}) },
  )
  if (groups.length === 0) return report
  const grouped = {
    ...report,
    subjects: report.subjects.map((row) => ({
      ...row,
      cases: row.cases.map((one, i) => ({ ...one, group: groups[i] })),
    })),
  }
  return { ...grouped, headline: buildHeadline(grouped) } as Report
}

function trialsOf(
  subject: string,
  id: string,
  one: PlantedCase,
  usd: number | null,
  source: 'live' | 'simulated',
  suite: string,
): Trial[] {
  const { n, c, errored = 0, unscored = 0 } = one
  const outcomes = [
    ...Array.from({ length: c }, () => 'passed' as const),
    ...Array.from({ length: n - c }, () => 'failed' as const),
    ...Array.from({ length: errored }, () => 'errored' as const),
    ...Array.from({ length: unscored }, () => 'unscored' as const),
  ]
  return outcomes.map((outcome, index) =>
    trialOf({
      suite,
      case: id,
      subject,
      index,
      outcome,
      source,
      score: outcome === 'passed' ? 1 : outcome === 'failed' ? 0 : null,
      cost: { answerUsd: usd, judgeUsd: null, spentUsd: usd ?? 0 },
    }),
  )
}
