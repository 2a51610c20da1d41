/**
 * The data of the viewer: the report without the parts that only programs need, the prompts, the outcome of every
 * trial, and the texts of as many trials as fit into a file. The HTML report contains one `ViewData`. The server of
 * `assay view` sends the same parts separately. `make-view-data.ts` builds the data and keeps it small.
 */
import type {
  FileChange,
  FolderChange,
  Identity,
  Outcome,
  Source,
  Trajectory,
  Usage,
} from '@assay/contract'
import type { CaseReport, Headline, Report, SubjectReport } from '../schema/report.ts'
import type { SkillSummary } from '../words/skill-words.ts'

/**
 * The figures of a subject. The figures for each case are in the cells (`ViewCell`). From `spec`, only the parts that
 * the page shows are kept.
 */
export type ViewSubject = Omit<SubjectReport, 'cases' | 'spec'> &
  Pick<SubjectReport['spec'], 'statistics' | 'passToTheK'> & {
    /** Null if the suite does not describe a skill. */
    readonly skill: ViewSkill | null
  }

export interface ViewSkill extends SkillSummary {
  /** Only the stimuli with the lowest scores are kept. This is the number of the others. */
  readonly stimuliLeftOut: number
}

export type ViewReport = Omit<Report, 'subjects' | 'notes' | 'headline'> & {
  readonly headline: Headline
  readonly subjects: readonly ViewSubject[]
}

/**
 * A text. If it was cut, `more` is the number of missing bytes. If the file with the text is missing, `gone` is set.
 */
export type ViewText =
  | string
  | { readonly text: string; readonly more: number; readonly gone?: true }

export interface ViewCase {
  readonly suite: string
  readonly case: string
  readonly name: string
  /** The messages of the user. Null if they did not fit into the file or are unknown. */
  readonly turns: readonly ViewText[] | null
  readonly tags: readonly string[]
  readonly language: string | null
  readonly reference: ViewText | null
  /** What the judges of the case are asked. Absent if there are no judges, or if it did not fit into the file. */
  readonly rubrics?: readonly ViewRubric[]
  /** An earlier case of the suite with the same rubrics. Most suites have one rubric, which is then stored once. */
  readonly rubricsLike?: string
}

/** One criterion of a rubric. */
export interface ViewCriterion {
  readonly id: string
  readonly text: ViewText
  readonly weight: number
  /** The lowest and highest mark. Null for a criterion that is met or not met. */
  readonly scale: readonly [low: number, high: number] | null
}

/** What the judges of one grader are asked. */
export interface ViewRubric {
  /** The name of the grader. */
  readonly name: string
  readonly judges: readonly string[]
  readonly criteria: readonly ViewCriterion[]
  /** What the judges are told in addition. Empty if there is nothing. */
  readonly instructions: ViewText
  /** The score from which the answer passes. Null if it is unknown. */
  readonly threshold: number | null
}

/** One subject on one case. */
export interface ViewCell extends Pick<
  CaseReport,
  'case' | 'n' | 'c' | 'meanScore' | 'flaky' | 'flakinessPercent' | 'failedGraders' | 'reasons'
> {
  readonly suite: string
  readonly subject: string
  /**
   * The outcomes of the trials, one letter each, sorted by index: p passed, f failed, u unscored, e errored, c
   * cancelled.
   */
  readonly outcomes: string
  /** The interval of the pass rate that further trials of this case would have. */
  readonly interval: readonly [low: number, high: number] | null
}

export interface ViewGrade {
  readonly name: string
  readonly type: string
  readonly score: number | null
  readonly passed: boolean | null
  readonly weight: number
  readonly required?: true
  /** The grade of a judge, or of one criterion of a judge. */
  readonly judged?: true
  readonly reason?: ViewText
  readonly evidence?: ViewText
  readonly integrity?: string
  readonly details?: readonly ViewGrade[]
  /** The number of details that were left out because of the size limit. */
  readonly detailsLeftOut?: number
}

/** Says why a part of a trial is not shown: it cannot be read, or it did not fit into the file. */
export interface Missing {
  readonly missing: string
}

interface ViewStepHead {
  readonly at: number
  readonly turn: number
  /** The tokens and the cost of the model request that begins with this step. */
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
        /** The most informative argument of the call, in one line. */
        readonly gist: string
        readonly args: ViewText
        readonly result: ViewText | null
        readonly failed?: true
        readonly ms: number | null
        /**
         * Set if the step is known only from the agent's own report, and the requests that the gateway saw do not
         * confirm it.
         */
        readonly claimed?: true
      }
    | {
        /** A request to the model, as Assay's gateway recorded it. */
        readonly kind: 'request'
        /**
         * One line with the model, its tokens, how often the request was sent, and why there was no complete answer.
         */
        readonly gist: string
        readonly ms: number
        readonly failed?: true
      }
    | {
        readonly kind: 'file-change'
        readonly path: string
        readonly change: FileChange['change']
      }
    | { readonly kind: 'skill'; readonly name: string; readonly claimed?: true }
    | { readonly kind: 'error'; readonly text: ViewText }
    | { readonly kind: 'other'; readonly type: string; readonly raw: ViewText }
  )

/** An agent's trajectory: the list of its steps. */
export interface ViewTrajectory extends Omit<
  Trajectory,
  'version' | 'steps' | 'usage' | 'requests'
> {
  readonly usage: readonly { readonly model: string; readonly tokens: Usage }[]
  /** Counts over all steps, including the steps that were left out. */
  readonly toolCalls: number
  readonly failedCalls: number
  readonly steps: readonly ViewStep[]
  /**
   * The steps that were left out in the middle: `steps` is their number, and `after` says how many of the shown steps
   * come before them.
   */
  readonly gap: { readonly after: number; readonly steps: number } | null
}

export interface ViewChange {
  readonly path: string
  readonly change: FileChange['change']
  /** The number of added and removed lines. Both are 0 if the change has no patch. */
  readonly lines: { readonly added: number; readonly removed: number }
  /** Notes about file modes and links, and about why there is no patch. */
  readonly notes: readonly string[]
  /** The patch in unified diff format. */
  readonly patch?: ViewText
}

/** The changes that an agent made in its folder. */
export interface ViewDiff {
  readonly changes: readonly ViewChange[]
  readonly changesLeftOut: number
  /** Changes that are not changes of files. Absent if there are none. */
  readonly others?: {
    /** Empty folders that were added or deleted. */
    readonly folders: readonly FolderChange[]
    /** Unusual permissions, in octal. */
    readonly permissions: readonly { readonly path: string; readonly bits: string }[]
    /** The number of folders and permissions that did not fit. */
    readonly leftOut: number
  }
  /**
   * Files that could not be stored: `count` is their number, and `oddities` names the first few with the reason. Absent
   * if all files were stored.
   */
  readonly unkept?: { readonly count: number; readonly oddities: readonly string[] }
}

/** An agent's trajectory and changes. Each of them is present only if it was recorded. */
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
  /**
   * The hash by which a label (a person's verdict) identifies this answer. Set only on pages where people can review.
   */
  readonly answerHash?: string
  /** The messages before the answer. Set only if the request contained more than the case's own prompt. */
  readonly said?: readonly { readonly title: string; readonly text: ViewText }[]
  /** What a subject that is a function printed. */
  readonly log?: ViewText
  readonly files: readonly { readonly path: string; readonly text: ViewText }[]
  readonly filesLeftOut: number
  readonly grades: readonly ViewGrade[]
  readonly source: Source
  readonly costUsd: number | null
  /** Null if the time was not measured, as in results of other programs. */
  readonly answerMs: number | null
  readonly waitMs: number | null
  readonly gradeMs: number | null
  /** The trial's end minus its start. */
  readonly durationMs: number | null
  readonly implRate: number | null
  readonly composite: number | null
  readonly costOfPass: number | 'infinite' | null
  /** The number of requests to the provider. */
  readonly attempts: number
  /** The number of input tokens, including cached ones, and of output tokens. */
  readonly tokens: readonly [input: number, output: number] | null
  /** The network that an agent could use. */
  readonly network?: string
  /** Remarks that a reader needs in addition to the outcome. */
  readonly remarks?: readonly string[]
}

/** How many items were left out because of the size limits. The page shows these counts. */
export interface LeftOut {
  /** The number of recorded trials that are not in `trials`. */
  readonly trials: number
  /** The number of trials that are in `trials`, but without the agent's trajectory and changes. */
  readonly acts: number
  /** The number of cases that are not in `cells`. They are the cases with the best pass rates. */
  readonly cases: number
}

export interface ViewData {
  /** Warnings for the top of the page about answers that are not live and about code that ran without a sandbox. */
  readonly stamps: readonly string[]
  /**
   * Notes that are shown in addition to the tables: those of the report, and those about items that were left out of
   * the file.
   */
  readonly notes: readonly string[]
  readonly report: ViewReport
  readonly cases: readonly ViewCase[]
  readonly cells: readonly ViewCell[]
  readonly trials: readonly ViewTrial[]
  readonly leftOut: LeftOut
}
