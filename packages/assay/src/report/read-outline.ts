/**
 * Reads what a list of runs shows: the counts, the money spent, and the pass rate of each subject. This is much faster
 * than computing a whole report, and the figures are the same.
 */
import { DEFAULT_LEVEL, passRateEstimate } from '@assay/metrics'
import {
  answerersOf,
  lastRevision,
  readRecord,
  readRecorded,
  type Cell,
  type Counts,
  type RunRecord,
  type Tally,
} from '../log/index.ts'
import { groupNames } from './figures/groups/case-groups.ts'
import { outcomeLetters, planIn, type ReadRunOptions } from './read-run.ts'
import type { ReportMetric } from './schema/metric-schema.ts'
import { reported } from './schema/to-metric.ts'

export interface OutlineRow {
  readonly suite: string
  readonly subject: string
  readonly source: string
  readonly passed: number
  readonly scored: number
  readonly passRate: ReportMetric
}

export interface OutlineCell {
  readonly suite: string
  readonly case: string
  readonly subject: string
  readonly hash: string
  readonly outcomes: string
}

export interface RunOutline {
  readonly record: RunRecord
  readonly counts: Counts
  readonly spentUsd: number
  /** The number of scored trials whose price is unknown. */
  readonly unpriced: number
  readonly subjects: readonly OutlineRow[]
  readonly cells: () => Iterable<OutlineCell>
}

export async function readOutline(
  folder: string,
  options: Pick<ReadRunOptions, 'indexKey' | 'acceptEdited'> = {},
): Promise<RunOutline> {
  const record = readRecord(folder, options)
  const last = lastRevision(record)
  const plan = planIn(record)
  const { tally } = await readRecorded(folder, plan, { indexKey: options.indexKey })
  tally.spend(record.stoppedUsd)
  const sources = new Map(last.subjects.map(({ id, source }) => [id, source]))
  const keyOf = (suite: string, subject: string): string => JSON.stringify([suite, subject])
  const byRow = Map.groupBy(plan.cells, (cell) => keyOf(cell.suite.id, cell.subject.id))
  return {
    record,
    counts: tally.counts(),
    spentUsd: tally.spentUsd,
    unpriced: unpricedIn(tally),
    subjects: plan.suites.flatMap((suite) =>
      answerersOf(suite, plan.subjects).map(({ id }) => {
        const cells = byRow.get(keyOf(suite.id, id)) ?? []
        const scored = cells.flatMap((cell) => {
          const { passed: c, failed } = tally.counts(cell.first, cell.trials)
          return c + failed === 0 ? [] : [{ n: c + failed, c, cell }]
        })
        return {
          suite: suite.id,
          subject: id,
          source: sources.get(id) ?? 'live',
          passed: scored.reduce((sum, { c }) => sum + c, 0),
          scored: scored.reduce((sum, { n }) => sum + n, 0),
          passRate: rateOf(scored),
        }
      }),
    ),
    *cells() {
      for (const { suite, case: one, subject, first, trials } of plan.cells)
        yield {
          suite: suite.id,
          case: one.id,
          subject: subject.id,
          hash: one.hash,
          outcomes: outcomeLetters(tally, first, trials),
        }
    },
  }
}

function unpricedIn(tally: Tally): number {
  let unpriced = 0
  for (let at = 0; at < tally.plan.planned; at++)
    if (tally.isScored(at) && Number.isNaN(tally.answerUsd.at(at))) unpriced++
  return unpriced
}

function rateOf(scored: readonly { n: number; c: number; cell: Cell }[]): ReportMetric {
  if (scored.length === 0) return { value: null, n: 0, reason: 'no trial was scored' }
  const groups = groupNames(scored.map(({ cell }) => cell.case))
  const rates = scored.map(({ n, c }) => ({ n, c }))
  return reported(passRateEstimate(rates, 'population', DEFAULT_LEVEL, groups))
}
