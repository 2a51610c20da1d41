/** A summary from a run folder: reads the log as a stream into columns, then summarises those. */
import {
  lastRevision,
  readRecord,
  readTrials,
  type LinesRead,
  type RunRecord,
} from '../log/index.ts'
import { Plan, Tally } from '../run/index.ts'
import { collectReasons, type ReasonSummary } from './reasons.ts'
import { summarizeTally, type Summary } from './summary.ts'

export interface RunSummary {
  readonly record: RunRecord
  readonly read: LinesRead
  readonly summary: Summary
  /** Why trials failed or errored, beyond wrong answers. */
  readonly reasons: readonly ReasonSummary[]
}

/**
 * Reads a run folder and summarises it.
 *
 * @example
 * const { summary } = await summarize('.assay/runs/latest')
 * summary.counts.passed
 */
export async function summarize(folder: string): Promise<RunSummary> {
  const record = readRecord(folder)
  const { suites, subjects, passK } = lastRevision(record)
  const plan = new Plan(
    suites,
    subjects.map(({ id, source }) => ({ id, source, pool: '' })),
    1,
  )
  const tally = new Tally(plan)
  const reasons = collectReasons()
  const read = await readTrials(folder, (trial) => {
    if (tally.add(trial)) reasons.add(trial)
  })
  const summary = summarizeTally(tally, plan.subjects, passK)
  return { record, read, summary, reasons: reasons.list() }
}
