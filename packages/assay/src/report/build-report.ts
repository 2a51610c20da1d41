/**
 * A report from a tally: a pure function, so that it comes out the same from a log in whatever order its
 * lines stand, and from results that ran elsewhere.
 */
import { crossTier, type TierSummary } from '@assay/metrics'
import type { Source } from '../contract.ts'
import type { Plan, Tally } from '../run/index.ts'
import { codeCases } from './code-summary.ts'
import { reasonSummaries } from './reasons.ts'
import type { Provenance, Report, ReportTiers } from './report.ts'
import type { GradesAt } from './spec-blocks.ts'
import { subjectReport } from './subject-report.ts'

export interface TierOrder {
  readonly order: readonly string[]
  readonly baseline: string
}

export interface ReportInput {
  readonly tally: Tally
  readonly run: Report['run']
  readonly provenance: Provenance
  readonly passK: readonly number[]
  /** What the graders of each trial said; null where that is too much, or not known. */
  readonly gradesAt?: GradesAt
  /** Subjects that are tiers of one experiment, in their order, and whom the others are measured by. */
  readonly tiers?: readonly TierOrder[]
  readonly notes?: readonly string[]
}

export function buildReport(input: ReportInput): Report {
  const { tally, passK, provenance } = input
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
        seed: provenance.seed ?? 1,
      }),
    ),
  )
  const summaries = new Map(
    rows.map(({ report, tier }) => [rowKey(report.suite, report.subject), tier]),
  )
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
    tiers: (input.tiers ?? []).flatMap((order) => tiersOf(plan, summaries, order)),
    notes: [...(input.notes ?? [])],
  }
}

const rowKey = (suite: string, subject: string): string => JSON.stringify([suite, subject])

function tiersOf(
  plan: Plan,
  summaries: ReadonlyMap<string, TierSummary | null>,
  { order, baseline }: TierOrder,
): ReportTiers[] {
  return plan.suites.flatMap(({ id }) => {
    const known = order.flatMap((subject) => {
      const tier = summaries.get(rowKey(id, subject)) ?? null
      return tier === null ? [] : [{ subject, tier }]
    })
    const from = known.findIndex(({ subject }) => subject === baseline)
    if (from === -1) return []
    const across = crossTier(
      known.map(({ tier }) => tier),
      from,
    )
    return [
      {
        suite: id,
        baseline,
        order: known.map(({ subject }) => subject),
        tier_uplift: [...across.uplift],
        uplift_abs: [...across.upliftAbs],
        pass_rate_variance: across.passRateVariance,
        cost_variance: across.costVariance,
        cost_delta: across.costDelta,
      },
    ]
  })
}
