/**
 * The data of the viewer: the report without the parts that only programs need, the prompts, the outcome of
 * every trial, and the texts of as many trials as fit into a file. The HTML report contains one `ViewData`; a
 * server will provide the same pieces. `make-view-data.ts` builds it and keeps it small.
 */
import type { FileChange, Identity, Outcome, Source, Trajectory, Usage } from '@assay/contract'
import type { CaseReport, Report, SubjectReport } from '../schema/report.ts'

/**
 * A subject's figures. Figures per case are in the cells. Of `spec`, only the statistics that the tier tables
 * show are kept.
 */
export type ViewSubject = Omit<SubjectReport, 'cases' | 'spec'> &
  Pick<SubjectReport['spec'], 'statistics'>

export type ViewReport = Omit<Report, 'subjects' | 'notes'> & {
  readonly subjects: readonly ViewSubject[]
}

/** A text. If it was cut: the number of missing bytes in `more`, and `gone` if its file is missing. */
export type ViewText =
  | string
  | { readonly text: string; readonly more: number; readonly gone?: true }

export interface ViewCase {
  readonly suite: string
  readonly case: string
  readonly name: string
  /** The user's turns; null if there was no room for them, or if they are unknown. */
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
  /** One letter per trial, in order of index: p passed, f failed, u unscored, e errored, c cancelled. */
  readonly outcomes: string
  /** Interval of the pass rate, for this case tried again. */
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
  /** Number of details left out for lack of room. */
  readonly detailsLeftOut?: number
}

/** Why a part of a trial is not shown: it cannot be read, or there is no room for it. */
export interface Missing {
  readonly missing: string
}

interface ViewStepHead {
  readonly at: number
  readonly turn: number
  /** Tokens and cost of the model request that starts with this step. */
  readonly usage?: Usage
  readonly usd?: number
}

export type ViewStep = ViewStepHead &
  (
    | {
        readonly kind: 'message'
        readonly role: 'user' | 'assistant' | 'system'
        readonly text: ViewText
      }
    | { readonly kind: 'reasoning'; readonly text: ViewText }
    | {
        readonly kind: 'tool-call'
        readonly name: string
        /** The most informative argument, in one line. */
        readonly gist: string
        readonly args: ViewText
        readonly result: ViewText | null
        readonly failed?: true
        readonly ms: number | null
      }
    | {
        readonly kind: 'file-change'
        readonly path: string
        readonly change: FileChange['change']
      }
    | { readonly kind: 'skill'; readonly name: string }
    | { readonly kind: 'error'; readonly text: ViewText }
    | { readonly kind: 'other'; readonly type: string; readonly raw: ViewText }
  )

/** The trajectory of an agent. */
export interface ViewTrajectory extends Omit<Trajectory, 'version' | 'steps' | 'usage'> {
  readonly usage: readonly { readonly model: string; readonly tokens: Usage }[]
  /** Counts over all steps, including those left out. */
  readonly toolCalls: number
  readonly failedCalls: number
  readonly steps: readonly ViewStep[]
  /** The steps left out in the middle: their number, and how many of `steps` come before them. */
  readonly gap: { readonly after: number; readonly steps: number } | null
}

export interface ViewChange {
  readonly path: string
  readonly change: FileChange['change']
  /** Both are 0 if the change has no patch. */
  readonly lines: { readonly added: number; readonly removed: number }
  /** Notes on modes and links, and on why there is no patch. */
  readonly notes: readonly string[]
  /** The patch, in unified diff format. */
  readonly patch?: ViewText
}

/** The changes that an agent made in its folder. */
export interface ViewDiff {
  readonly changes: readonly ViewChange[]
  readonly changesLeftOut: number
  /**
   * Files that could not be stored: their number, and the first few with the reason. Absent if all were
   * stored.
   */
  readonly unkept?: { readonly count: number; readonly oddities: readonly string[] }
}

/** An agent's trajectory and changes; each is present only if it was recorded. */
export interface ViewActs {
  readonly trajectory?: ViewTrajectory | Missing
  readonly diff?: ViewDiff | Missing
}

/** One trial with its texts. */
export interface ViewTrial extends Identity, ViewActs {
  readonly outcome: Outcome
  readonly reason: { readonly code: string; readonly text: ViewText } | null
  readonly score: number | null
  readonly answer: ViewText | null
  readonly files: readonly { readonly path: string; readonly text: ViewText }[]
  readonly filesLeftOut: number
  readonly grades: readonly ViewGrade[]
  readonly source: Source
  readonly costUsd: number | null
  /** Null if not measured, as for results that ran elsewhere. */
  readonly answerMs: number | null
  readonly gradeMs: number | null
  /** Number of requests to the provider. */
  readonly attempts: number
  /** Input tokens, including cached ones, and output tokens. */
  readonly tokens: readonly [input: number, output: number] | null
  /** Remarks that a reader needs in addition to the outcome. */
  readonly remarks?: readonly string[]
}

/** Counts of items that the file has no room for; the page shows them. */
export interface LeftOut {
  /** Recorded trials whose texts are not among `trials`. */
  readonly trials: number
  /** Trials that are in `trials`, but without the agent's trajectory and changes. */
  readonly acts: number
  /** Cases that are not in `cells`; these have the best pass rates. */
  readonly cases: number
}

export interface ViewData {
  /** Disclosures for the top of the page: answers that are not live, code that ran unprotected. */
  readonly stamps: readonly string[]
  /** Notes in addition to the tables: those of the report, and those on items that the file has no room for. */
  readonly notes: readonly string[]
  readonly report: ViewReport
  readonly cases: readonly ViewCase[]
  readonly cells: readonly ViewCell[]
  readonly trials: readonly ViewTrial[]
  readonly leftOut: LeftOut
}
