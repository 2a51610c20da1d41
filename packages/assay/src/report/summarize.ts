/** A summary from a run folder: reads the log as a stream into columns, then summarises those. */
import {
  lastRevision,
  readRecord,
  readTrials,
  type LinesRead,
  type RunRecord,
} from '../log/index.ts'
import { Plan, Tally } from '../run/index.ts'
import { takeRemarks, type Remarks } from './remarks.ts'
import { summarizeTally, type Summary } from './summary.ts'

export interface RunSummary {
  readonly record: RunRecord
  readonly read: LinesRead
  readonly summary: Summary
  /** Why trials failed or errored, beyond wrong answers, and how many came from the cache. */
  readonly remarks: Remarks
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
  const taker = takeRemarks()
  const read = await readTrials(folder, (trial) => {
    if (tally.add(trial)) taker.add(trial)
  })
  const summary = summarizeTally(tally, plan.subjects, passK)
  return { record, read, summary, remarks: taker.remarks() }
}
