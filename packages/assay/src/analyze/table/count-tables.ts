/**
 * Refuses tables that count trials instead of listing them. If every case was tried once, the counts are all
 * 0 or 1 and look like verdicts. Read as verdicts, a case without a scored trial would become a failure. Such
 * tables are recognized by their header.
 */
import { UsageError } from '@assay/contract'
import { plainName } from './guesses.ts'

/** Columns of Assay's own table of cases that a table of trials does not have together. */
const CASE_TABLE = ['case', 'subject', 'planned', 'passed', 'failed', 'unscored']

/** Refuses the table of cases that Assay writes as `cases.csv`. */
export function refuseCaseTable(names: readonly string[], where: string): void {
  if (CASE_TABLE.every((name) => names.includes(name)))
    throw new UsageError(
      `${where} is a table of cases: it counts trials and does not list them. Analyze the CSV of the trials or the report.json of that run`,
    )
}

/** Column names that may be counts; "outcome" and "status" never are. */
const MAYBE_COUNTS = new Set(['passed', 'pass', 'correct', 'resolved', 'success'])
const BESIDE_COUNTS = new Set(
  [
    'failed',
    'fail',
    'fails',
    'failures',
    'incorrect',
    'total',
    'planned',
    'count',
    'n',
    'trials',
    'n_trials',
    'num_trials',
    'runs',
    'n_runs',
    'num_runs',
  ].map(plainName),
)

/** Refuses a guessed verdict column if the other columns show that it is a count. */
export function refuseCounts(titles: readonly string[], passed: number, where: string): void {
  const names = titles.map(plainName)
  if (!MAYBE_COUNTS.has(names[passed] as string)) return
  const beside = titles.find((_, at) => BESIDE_COUNTS.has(names[at] as string))
  if (beside !== undefined)
    throw new UsageError(
      `${where}: beside "${beside}" the column "${titles[passed]}" looks like a count, and one row for each trial is needed; if it is a verdict, say so with --passed ${titles[passed]}`,
    )
}
