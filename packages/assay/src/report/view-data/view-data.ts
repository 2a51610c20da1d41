/**
 * What the viewer shows: the report without what only programs need, what was asked, every trial's outcome,
 * and the texts of as many trials as a file can carry. The HTML report holds one of these; a server will
 * hand out the same pieces. `make-view-data.ts` builds it and keeps it small.
 */
import type { FileChange, Identity, Outcome, Source, Trajectory, Usage } from '@assay/contract'
import type { CaseReport, Report, SubjectReport } from '../schema/report.ts'

/** The figures by case are in the cells; of the source documents' only those that tiers are told by. */
export type ViewSubject = Omit<SubjectReport, 'cases' | 'spec'> &
  Pick<SubjectReport['spec'], 'statistics'>

export type ViewReport = Omit<Report, 'subjects' | 'notes'> & {
  readonly subjects: readonly ViewSubject[]
}

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

/** Why a part of a trial is not shown: it cannot be read, or there is no room for it. */
export interface Missing {
  readonly missing: string
}

interface ViewStepHead {
  readonly at: number
  readonly turn: number
  /** Of the request to the model that begins with this step. */
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
        /** The argument that tells most, in one line. */
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

/** What an agent did. */
export interface ViewTrajectory extends Omit<Trajectory, 'version' | 'steps' | 'usage'> {
  readonly usage: readonly { readonly model: string; readonly tokens: Usage }[]
  /** Of all steps, those without room among them. */
  readonly toolCalls: number
  readonly failedCalls: number
  readonly steps: readonly ViewStep[]
  /** Steps in the middle that there was no room for, and how many of `steps` come before them. */
  readonly gap: { readonly after: number; readonly steps: number } | null
}

export interface ViewChange {
  readonly path: string
  readonly change: FileChange['change']
  /** Both 0 where it is not told line by line. */
  readonly lines: { readonly added: number; readonly removed: number }
  /** Modes, links, why there are no lines. */
  readonly notes: readonly string[]
  /** Hunks in unified form. */
  readonly patch?: ViewText
}

/** What an agent left in its folder. */
export interface ViewDiff {
  readonly changes: readonly ViewChange[]
  readonly changesLeftOut: number
  /** What could not be kept, and the first of it with why; absent where all was. */
  readonly unkept?: { readonly count: number; readonly oddities: readonly string[] }
}

/** What an agent did and what came of it; each only where it was recorded. */
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
  /** Null where nobody measured it, as of results that ran elsewhere. */
  readonly answerMs: number | null
  readonly gradeMs: number | null
  /** Requests to the provider. */
  readonly attempts: number
  /** Input with what was cached of it, output. */
  readonly tokens: readonly [input: number, output: number] | null
  /** What a reader must know beside the outcome. */
  readonly remarks?: readonly string[]
}

/** What a file has no room for; said on the page. */
export interface LeftOut {
  /** Recorded trials whose texts are not among `trials`. */
  readonly trials: number
  /** Trials of agents that are among `trials` without what the agent did. */
  readonly acts: number
  /** Cases that are not among `cells`, those with the best pass rates. */
  readonly cases: number
}

export interface ViewData {
  /** What must stand at the head: that answers are not live, that code ran unprotected. */
  readonly stamps: readonly string[]
  /** What the tables do not say: the report's notes, and what this file has no room for. */
  readonly notes: readonly string[]
  readonly report: ViewReport
  readonly cases: readonly ViewCase[]
  readonly cells: readonly ViewCell[]
  readonly trials: readonly ViewTrial[]
  readonly leftOut: LeftOut
}
