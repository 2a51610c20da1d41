/**
 * Builds a report from a tally (the facts about every trial, in arrays). The report is a pure function of the tally, so
 * the order of lines in the log does not change it. Results of other programs are reported in the same way.
 */
import type { Source } from '@assay/contract'
import { answerersOf, type Plan, type Tally } from '../../log/index.ts'
import { groupsSentence } from './groups/case-groups.ts'
import type { CaseLabels } from './case-report.ts'
import { codeCases } from './code-summary.ts'
import { reasonSummaries } from './reasons.ts'
import { DEFAULT_SCORING, type TierScoring } from './composite.ts'
import { buildHeadline } from '../headline/index.ts'
import type { Headline, Provenance, Report, SubjectReport } from '../schema/report.ts'
import type { GradesAt } from './spec-blocks.ts'
import { subjectReport, type SubjectFigures } from './subject-report.ts'
import { tierReports, type TierOrder } from './tier-report.ts'

export interface ReportInput {
  readonly tally: Tally
  readonly run: Report['run']
  readonly provenance: Provenance
  readonly passK: readonly number[]
  /**
   * Returns the grader results of a trial. Null if the run has too many trials to keep them, or if they are unknown.
   */
  readonly gradesAt?: GradesAt
  /** If true, the figures of single trials are left out, as for a large run. */
  readonly brief?: boolean
  /** For each experiment: the subjects that are its tiers, in order, and the baseline with which they are compared. */
  readonly tiers?: readonly TierOrder[]
  /**
   * How composites and letter grades are computed. The default is the weights and the scale of the metrics-formulas
   * specification.
   */
  readonly scoring?: TierScoring
  /** How far judges agree with each other, and which judges graded their own answers. */
  readonly judging?: Pick<Report, 'judging' | 'ownAnswers'>
  /** What the graders of type `label` found over each suite. */
  readonly classification?: Report['classification']
  readonly notes?: readonly string[]
  /** Returns the tags and the metadata of a case of a suite. */
  readonly labelsOf?: (suite: string, one: string) => CaseLabels
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
    answerersOf(suite, plan.subjects).map(({ id }) =>
      subjectReport(tally, byRow.get(rowKey(suite.id, id)) ?? [], {
        source: sources.get(id) ?? ('live' satisfies Source),
        passK,
        threshold: thresholds.get(suite.id) ?? null,
        coded,
        gradesAt: input.gradesAt ?? null,
        brief: input.brief ?? false,
        scoring,
        seed,
        labelsOf: input.labelsOf && ((one) => input.labelsOf?.(suite.id, one) ?? {}),
      }),
    ),
  )
  const known = new Map(rows.map((row) => [rowKey(row.report.suite, row.report.subject), row]))
  const rowOf = (suite: string, subject: string) => known.get(rowKey(suite, subject))
  const headline = buildHeadline({ subjects: rows.map(({ report }) => report), provenance })
  return {
    assay: 'report',
    version: 1,
    headline,
    run: input.run,
    provenance,
    passK: [...passK],
    counts: { ...tally.counts() },
    spentUsd: tally.spentUsd,
    cached: tally.cached,
    sandboxes: [...tally.sandboxes].sort(),
    ...(tally.networks.size === 0 ? {} : { networks: [...tally.networks].sort() }),
    reasons: reasonSummaries(tally),
    subjects: inOrder(rows, headline),
    tiers: (input.tiers ?? []).flatMap((order) =>
      tierReports(plan, order, { tally, scoring, seed, rowOf }),
    ),
    ...input.judging,
    ...(input.classification === undefined || input.classification.length === 0
      ? {}
      : { classification: input.classification }),
    notes: [...(input.notes ?? []), ...groupNotes(plan)],
  }
}

/** Returns a note for each suite whose cases form groups. It says how many groups there are. */
function groupNotes({ suites }: Plan): string[] {
  return suites.flatMap(({ id, cases }) => {
    const said = groupsSentence(cases)
    return said === null ? [] : [suites.length === 1 ? said : `${id}: ${said}`]
  })
}

/** Sorts the subjects of each suite as the headline does: the best subject first. */
function inOrder(rows: readonly SubjectFigures[], { suites }: Headline): SubjectReport[] {
  const known = new Map(
    rows.map(({ report }) => [rowKey(report.suite, report.subject), report] as const),
  )
  return suites.flatMap(({ suite, order }) =>
    order.flatMap((subject) => known.get(rowKey(suite, subject)) ?? []),
  )
}

const rowKey = (suite: string, subject: string): string => JSON.stringify([suite, subject])
