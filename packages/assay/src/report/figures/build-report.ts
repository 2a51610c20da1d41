/**
 * Builds a report from a tally. It is a pure function: the order of lines in the log does not change the
 * report, and results that ran elsewhere are reported in the same way.
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
  /** The grader results of each trial; null if there are too many, or if they are unknown. */
  readonly gradesAt?: GradesAt
  /**
   * For each experiment: the subjects that are its tiers, in order, and the baseline they are compared with.
   */
  readonly tiers?: readonly TierOrder[]
  /**
   * How composites and letter grades are computed. Default: the weights and scale of the metrics-formulas
   * document.
   */
  readonly scoring?: TierScoring
  /** How far judges agree, and which judges judged their own answers. */
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
