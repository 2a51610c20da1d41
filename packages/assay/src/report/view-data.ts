/**
 * What the viewer shows: the report without what only programs need, what was asked, every trial's outcome,
 * and the texts of as many trials as a file can carry. The HTML report holds one of these; a server will
 * hand out the same pieces. `make-view-data.ts` builds it and keeps it small.
 */
import type { Identity, Outcome, Source } from '../contract.ts'
import type { CaseReport, Report, SubjectReport } from './report.ts'

/** The figures by case are in the cells; of the source documents' only those that tiers are told by. */
export type ViewSubject = Omit<SubjectReport, 'cases' | 'spec'> &
  Pick<SubjectReport['spec'], 'statistics'>

export type ViewReport = Omit<Report, 'subjects'> & { readonly subjects: readonly ViewSubject[] }

/** A text; one that was cut has how many bytes are missing, or that its file is gone. */
export type ViewText =
  | string
  | { readonly text: string; readonly more: number; readonly gone?: true }

export interface ViewCase {
  readonly suite: string
  readonly case: string
  readonly name: string
  /** The user's turns; null where there was no room for them, or where they are not known. */
  readonly turns: readonly ViewText[] | null
  readonly tags: readonly string[]
  readonly language: string | null
  readonly reference: ViewText | null
}

/** One subject on one case. */
export interface ViewCell extends Pick<
  CaseReport,
  'case' | 'n' | 'c' | 'meanScore' | 'flaky' | 'flakinessPercent' | 'failedGraders' | 'reasons'
> {
  readonly suite: string
  readonly subject: string
  /** A letter for each trial by its index: p passed, f failed, u unscored, e errored, c cancelled. */
  readonly outcomes: string
  /** Of the pass rate: this case, tried again. */
  readonly interval: readonly [low: number, high: number] | null
}

export interface ViewGrade {
  readonly name: string
  readonly type: string
  readonly score: number | null
  readonly passed: boolean | null
  readonly weight: number
  readonly required?: true
  readonly reason?: ViewText
  readonly evidence?: ViewText
  readonly integrity?: string
  readonly details?: readonly ViewGrade[]
  /** Details that there was no room for. */
  readonly detailsLeftOut?: number
}

/** One trial with its texts. */
export interface ViewTrial extends Identity {
  readonly outcome: Outcome
  readonly reason: { readonly code: string; readonly text: ViewText } | null
  readonly score: number | null
  readonly answer: ViewText | null
  readonly files: readonly { readonly path: string; readonly text: ViewText }[]
  readonly filesLeftOut: number
  readonly grades: readonly ViewGrade[]
  readonly source: Source
  readonly costUsd: number | null
  /** Null where nobody measured it, as of results that ran elsewhere. */
  readonly answerMs: number | null
  readonly gradeMs: number | null
  /** Requests to the provider. */
  readonly attempts: number
  /** Input with what was cached of it, output. */
  readonly tokens: readonly [input: number, output: number] | null
}

/** What a file has no room for; said on the page. */
export interface LeftOut {
  /** Recorded trials whose texts are not among `trials`. */
  readonly trials: number
  /** Cases that are not among `cells`, those with the best pass rates. */
  readonly cases: number
}

export interface ViewData {
  /** What must stand at the head: that answers are not live, that code ran unprotected. */
  readonly stamps: readonly string[]
  readonly report: ViewReport
  readonly cases: readonly ViewCase[]
  readonly cells: readonly ViewCell[]
  readonly trials: readonly ViewTrial[]
  readonly leftOut: LeftOut
}
