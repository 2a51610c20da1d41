/**
 * Refuses tables in which a row has counts of trials, because Assay needs one row for each trial. If every case was
 * tried once, all counts are 0 or 1 and look like verdicts. If they were read as verdicts, a case without any scored
 * trial would count as failed. Tables of counts are recognized by their header.
 */
import { UsageError } from '@assay/contract'
import { plainName } from './guesses.ts'

/**
 * If a table has all of these columns, it is the table of cases that Assay writes. A table of trials never has all of
 * them.
 */
const CASE_TABLE = ['case', 'subject', 'planned', 'passed', 'failed', 'unscored']

/** Throws if the table is the table of cases that Assay writes as `cases.csv`. */
export function refuseCaseTable(names: readonly string[], where: string): void {
  if (CASE_TABLE.every((name) => names.includes(name)))
    throw new UsageError(
      `${where} is a table of cases: it counts trials and does not list them. Analyze the CSV of the trials or the report.json of that run`,
    )
}

/**
 * The names of columns that can contain verdicts or counts, depending on the table. Columns named "outcome" or "status"
 * never contain counts.
 */
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

/**
 * Throws if Assay guessed that a column contains verdicts, but another column (such as `total`) shows that it contains
 * counts.
 */
export function refuseCounts(titles: readonly string[], passed: number, where: string): void {
  const names = titles.map(plainName)
  if (!MAYBE_COUNTS.has(names[passed] as string)) return
  const beside = titles.find((_, at) => BESIDE_COUNTS.has(names[at] as string))
  if (beside !== undefined)
    throw new UsageError(
      `${where}: next to "${beside}" the column "${titles[passed]}" looks like a count, and one row for each trial is needed; if it is a verdict, say so with --passed ${titles[passed]}`,
    )
}
