/**
 * What every report format is: a name (names.ts has the file names for it) and how it is written. A format
 * reads the report and, where it shows single trials, goes through them as a stream; it writes pieces of
 * text in order, so that a million trials never stand in memory at once.
 */
import type { Suite, Text, Trial } from '@assay/contract'
import type { Report } from '../schema/report.ts'
import type { FormatName } from './names.ts'

/** What formats are made from. */
export interface ReportSource {
  readonly report: Report
  /** The suites with what they ask; empty where the results came from elsewhere. */
  readonly suites: readonly Suite[]
  /** Every trial that counts, each once, in the order of recording. Once through per call. */
  readonly trials: (each: (trial: Trial) => void) => Promise<void>
  /** A text of a trial, cut to `most` characters where that is given; null where its blob is gone. */
  readonly text: (text: Text, most?: number) => string | null
}

export interface ReportFormat {
  /** As `--format` names it. */
  readonly name: FormatName
  /** For the help. */
  readonly description: string
  readonly write: (source: ReportSource, put: (text: string) => void) => Promise<void>
}
