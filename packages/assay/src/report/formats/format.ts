/**
 * The interface of a report format: a name (its file name endings are in names.ts) and a function that writes
 * it. A format reads the report. If it shows single trials, it iterates over them as a stream. It writes text
 * in pieces and in order, so that a million trials are never in memory at once.
 */
import type { Suite, Text, Trial } from '@assay/contract'
import type { Report } from '../schema/report.ts'
import type { FormatName } from './names.ts'

/** The input of a format. */
export interface ReportSource {
  readonly report: Report
  /** The suites with their prompts; empty if the results came from elsewhere. */
  readonly suites: readonly Suite[]
  /** Iterates over all trials that count, each once, in the order of recording. Each call is a new pass. */
  readonly trials: (each: (trial: Trial) => void) => Promise<void>
  /** Returns a text of a trial, cut to `most` characters if given; null if its blob is missing. */
  readonly text: (text: Text, most?: number) => string | null
}

export interface ReportFormat {
  /** The name used with `--format`. */
  readonly name: FormatName
  /** Shown in the help. */
  readonly description: string
  readonly write: (source: ReportSource, put: (text: string) => void) => Promise<void>
}
