/**
 * A baseline is a report with which later runs are compared. It is one file, which a team commits to its repository,
 * and it needs no run folder. It records the id of its run, the number of trials and a hash of its content. So Assay
 * notices if the file was edited by hand, or if two baselines were merged wrongly. The figures of single trials are
 * left out: they are most of a report's size, and a comparison does not need them.
 */
import { z } from 'zod'
import { UsageError } from '@assay/contract'
import { asJson, hashOf } from '@assay/contract/hash'
import { reportSchema, type Report } from '../report/index.ts'
import { counted } from '../text/index.ts'

export interface Baseline {
  readonly assay: 'baseline'
  readonly version: 1
  readonly run: string
  /** The number of scored trials. */
  readonly trials: number
  readonly cases: number
  readonly subjects: readonly string[]
  /** Where the answers came from. Each source is one of: live, cache, replay, simulated. */
  readonly sources: readonly string[]
  /** The hash of `report`. Assay uses it to notice changes to the report. */
  readonly hash: string
  readonly report: Report
}

const baselineSchema: z.ZodType<Baseline> = z.object({
  assay: z.literal('baseline'),
  version: z.literal(1),
  run: z.string(),
  trials: z.int().min(0),
  cases: z.int().min(0),
  subjects: z.array(z.string()),
  sources: z.array(z.string()),
  hash: z.string(),
  report: reportSchema,
})

export const BASELINE_FILE = 'assay-baseline.json'

export function makeBaseline(report: Report): Baseline {
  const kept = withoutTrialResults(report)
  const { subjects } = kept
  return {
    assay: 'baseline',
    version: 1,
    run: kept.run.id,
    trials: kept.counts.passed + kept.counts.failed,
    cases: new Set(
      subjects.flatMap(({ suite, cases }) => cases.map((one) => `${suite}\n${one.case}`)),
    ).size,
    subjects: [...new Set(subjects.map(({ subject }) => subject))].sort(),
    sources: [...new Set(subjects.map(({ source }) => source))].sort(),
    hash: hashOfReport(kept),
    report: kept,
  }
}

function withoutTrialResults(report: Report): Report {
  return {
    ...report,
    subjects: report.subjects.map((whole) => {
      const row = { ...whole, cases: whole.cases.map(({ runs: _runs, ...rest }) => rest) }
      const { skill } = row.spec
      if (skill === null) return row
      const stimulusScores = skill.stimulusScores.map(({ trialResults: _results, ...rest }) => rest)
      return { ...row, spec: { ...row.spec, skill: { ...skill, stimulusScores } } }
    }),
  }
}

/** Hashes the report as data, not as text, so that reformatting the file does not count as a change. */
const hashOfReport = (report: Report): string => hashOf(asJson(report), 'entries')

export const isBaseline = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'assay' in value && value.assay === 'baseline'

/** Returns the report in a baseline file. Throws `UsageError` if the file is damaged or was changed. */
export function openBaseline(path: string, value: unknown): Report {
  const parsed = baselineSchema.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new UsageError(
      `${path} is not a baseline this assay can read: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    )
  }
  const { report, hash } = parsed.data
  if (hashOfReport(report) !== hash)
    throw new UsageError(
      `${path} is not what was blessed: its content does not fit its hash ${hash}. Bless the run again, or take the file from version control`,
    )
  return report
}

/** Whether the run's log was changed by hand or by a program other than Assay. */
export const isEdited = ({ provenance: { edited, regrades } }: Report): boolean =>
  edited === true || regrades?.edited === true

/** A run counts as invalid if more than this share of its planned trials errored. */
const MOST_ERRORED = 0.05

/**
 * Returns the reasons why a run is incomplete or invalid. Such a run should not become a baseline, and a gate on it
 * cannot hold.
 */
export function faultsOf({ counts, provenance }: Report): string[] {
  const { planned, cancelled, errored } = counts
  const { stopped, origin, log, shard } = provenance
  return [
    ...(shard === undefined
      ? []
      : [`it is only part ${shard.index} of ${shard.of} of a run, which assay merge joins`]),
    ...(cancelled > 0 ? [`${counted(cancelled, 'trial')} of ${planned} not run`] : []),
    ...(errored > MOST_ERRORED * planned
      ? [`${counted(errored, 'trial')} of ${planned} errored`]
      : []),
    ...(origin === null && cancelled === 0 && stopped !== 'complete'
      ? [stopped === null ? 'it has not ended' : `it ended as ${stopped}`]
      : []),
    ...(log.damaged > 0
      ? [`${counted(log.damaged, 'line')} of its log ${log.damaged === 1 ? 'is' : 'are'} damaged`]
      : []),
  ]
}
