/**
 * A report from a tally: a pure function, so that it comes out the same from a log in whatever order its
 * lines stand, and from results that ran elsewhere.
 */
import type { Source } from '@assay/contract'
import type { Tally } from '../../log/index.ts'
import { codeCases } from './code-summary.ts'
import { reasonSummaries } from './reasons.ts'
import { DEFAULT_SCORING, type TierScoring } from './composite.ts'
import type { Provenance, Report } from '../schema/report.ts'
import type { GradesAt } from './spec-blocks.ts'
import { subjectReport } from './subject-report.ts'
import { tierReports, type TierOrder } from './tier-report.ts'

export interface ReportInput {
  readonly tally: Tally
  readonly run: Report['run']
  readonly provenance: Provenance
  readonly passK: readonly number[]
  /** What the graders of each trial said; null where that is too much, or not known. */
  readonly gradesAt?: GradesAt
  /** Subjects that are tiers of one experiment, in their order, and whom the others are measured by. */
  readonly tiers?: readonly TierOrder[]
  /** How composites and letters are made; the document's weights and scale unless given. */
  readonly scoring?: TierScoring
  /** How judges agree, and which judged answers of their own. */
  readonly judging?: Pick<Report, 'judging' | 'ownAnswers'>
  readonly notes?: readonly string[]
}

export function buildReport(input: ReportInput): Report {
  const { tally, passK, provenance, scoring = DEFAULT_SCORING } = input
  const seed = provenance.seed ?? 1
  const { plan } = tally
  const coded = codeCases(plan)
  const sources = new Map(provenance.subjects.map(({ id, source }) => [id, source]))
  const thresholds = new Map(provenance.suites.map(({ id, threshold }) => [id, threshold]))
  const byRow = Map.groupBy(plan.cells, ({ suite, subject }) => rowKey(suite.id, subject.id))
  const rows = plan.suites.flatMap((suite) =>
    plan.subjects.map(({ id }) =>
      subjectReport(tally, byRow.get(rowKey(suite.id, id)) ?? [], {
        source: sources.get(id) ?? ('live' satisfies Source),
        passK,
        threshold: thresholds.get(suite.id) ?? null,
        coded,
        gradesAt: input.gradesAt ?? null,
        scoring,
        seed,
      }),
    ),
  )
  const known = new Map(rows.map((row) => [rowKey(row.report.suite, row.report.subject), row]))
  const rowOf = (suite: string, subject: string) => known.get(rowKey(suite, subject))
  return {
    assay: 'report',
    version: 1,
    run: input.run,
    provenance,
    passK: [...passK],
    counts: { ...tally.counts() },
    spentUsd: tally.spentUsd,
    cached: tally.cached,
    sandboxes: [...tally.sandboxes].sort(),
    reasons: reasonSummaries(tally),
    subjects: rows.map(({ report }) => report),
    tiers: (input.tiers ?? []).flatMap((order) =>
      tierReports(plan, order, { tally, scoring, seed, rowOf }),
    ),
    ...input.judging,
    notes: [...(input.notes ?? [])],
  }
}

const rowKey = (suite: string, subject: string): string => JSON.stringify([suite, subject])
