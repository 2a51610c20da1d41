/**
 * The interface of a report format: a name and a function that writes the report. (The file name endings of formats are
 * in names.ts.) A format gets the report as data. If it shows single trials, it iterates over them as a stream. It
 * writes its text in pieces, from the beginning to the end. So a million trials are never in memory at once.
 */
import type { Suite, Text, Trial } from '@assay/contract'
import type { Report } from '../schema/report.ts'
import type { FormatName } from './names.ts'

/** The data from which a format writes its text. */
export interface ReportSource {
  readonly report: Report
  /** The suites with their prompts. Empty for results of other programs. */
  readonly suites: readonly Suite[]
  /**
   * Calls `each` once for each trial that counts, in the order of recording. Each call of `trials` reads all trials
   * again. `cells` (keys of `cellKey`) limits the trials to those of some cells, where a cell is one subject on one
   * case. Trials of other cells may then be left out.
   */
  readonly trials: (each: (trial: Trial) => void, cells?: ReadonlySet<string>) => Promise<void>
  /**
   * Returns a text of a trial, cut to `most` characters if that is given. Null if the file that holds the text is
   * missing.
   */
  readonly text: (text: Text, most?: number) => string | null
}

export interface ReportFormat {
  /** The name for `--format`. */
  readonly name: FormatName
  /** The description in the help. */
  readonly description: string
  readonly write: (source: ReportSource, put: (text: string) => void) => Promise<void>
}
