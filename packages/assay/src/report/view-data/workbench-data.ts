/**
 * The data of the workbench's pages that show several runs. `assay view` sends it as JSON, and a static site contains
 * the same data as scripts. A single run is shown from the parts of `ViewData`.
 */
import type { Counts } from '../../log/index.ts'
import type { ViewData, ViewText } from './view-data.ts'

/**
 * `running`: a process is writing the run. `stopped`: the run has no end, and no process is writing it, as after a
 * kill. `unreadable`: the run cannot be read; `fault` says why. The others are how the run ended.
 */
export type RunState =
  | 'running'
  | 'complete'
  | 'partial'
  | 'budget'
  | 'interrupted'
  | 'failed'
  | 'stopped'
  | 'unreadable'

/** The pass rate of one subject on one suite. */
export interface RunFigure {
  readonly suite: string
  readonly subject: string
  readonly source: string
  /** Changes if the suite or the settings of the subject were edited. */
  readonly suiteHash: string
  readonly subjectHash: string
  /** Passed and scored trials. */
  readonly c: number
  readonly n: number
  readonly rate: number | null
  readonly low: number | null
  readonly high: number | null
}

/** One run in the list of runs. */
export interface RunRow {
  /** The name of the run in links. */
  readonly key: string
  /** The folder, in a form that the commands accept. */
  readonly folder: string
  readonly createdAt: string | null
  readonly endedAt: string | null
  readonly state: RunState
  /** Why the run cannot be read; null if it can. */
  readonly fault: string | null
  readonly title: string
  readonly tags: readonly string[]
  /** The commit of the repository that the run was started in; null if there was none. */
  readonly commit: string | null
  /** Null until the log of the run has been read. */
  readonly figures: {
    readonly counts: Counts
    readonly spentUsd: number
    readonly subjects: readonly RunFigure[]
  } | null
}

export interface RunList {
  readonly runs: readonly RunRow[]
  /** The number of runs whose logs are still to be read. */
  readonly pending: number
  /** Problems with the search for runs, such as a folder that cannot be read. */
  readonly notes: readonly string[]
}

/** What the pages of a run need: the list's row, and the run without cells, cases and trials. */
export interface RunHead extends Pick<ViewData, 'stamps' | 'notes' | 'report' | 'leftOut'> {
  readonly row: RunRow
  /** The moment of the run that this shows. Requests for its other parts name it, so that all show the same moment. */
  readonly at: string
}

/** What a page that shows many runs says of each. */
export type ShownRun = Pick<RunRow, 'key' | 'folder' | 'title' | 'createdAt' | 'state' | 'commit'>

/** What changed for one subject on one suite between two runs. */
export interface SuiteChange {
  /** What the gate decides; null if it cannot. */
  readonly verdict: 'regression' | 'improvement' | 'noRegression' | 'inconclusive' | null
  /** The decision in a sentence, or why there is none. */
  readonly text: string
  /** The number of cases that both runs have and that the decision is about, and of the others. */
  readonly cases: number
  readonly leftOut: number
  /** Whether the suite differs between the runs. */
  readonly isEdited: boolean
  /** The settings of the subject that differ. */
  readonly parameters: readonly {
    readonly name: string
    readonly baseline: string | null
    readonly current: string | null
  }[]
}

/** One subject on a suite in one run. */
export interface TrendPoint {
  readonly run: ShownRun
  readonly figure: RunFigure
  /** The change since the point before. Null for the first point, and until it has been computed. */
  readonly change: SuiteChange | null
}

/** The pass rates of a subject on a suite over its runs, oldest first. */
export interface TrendSeries {
  readonly subject: string
  readonly points: readonly TrendPoint[]
  /** The number of earlier runs that are left out. */
  readonly earlier: number
}

export interface Trend {
  readonly suites: readonly string[]
  readonly suite: string
  /** The subjects of the newest runs first. */
  readonly series: readonly TrendSeries[]
  /** The number of subjects that are left out. */
  readonly others: number
  /** The number of pairs of runs that are still to be compared. */
  readonly pending: number
}

/** One row of the table of trials. */
export interface TrialRow {
  readonly suite: string
  readonly case: string
  readonly subject: string
  readonly index: number
  readonly outcome: string
  readonly score: number | null
  readonly costUsd: number | null
  readonly answerMs: number | null
  readonly reason: string | null
}

export type TrialOrder = 'plan' | 'score' | 'cost' | 'time'

/** A part of the trials that meet the filter, in the order that was asked for. */
export interface TrialPage {
  readonly rows: readonly TrialRow[]
  readonly from: number
  readonly matching: number
  readonly total: number
  /** Trials that are not in the table, because a static site has no room for them. */
  readonly leftOut?: number
}

/** The trials of one subject on a case in one run. */
export interface CaseEntry {
  readonly run: ShownRun
  readonly subject: string
  /** One letter per trial, as in `ViewCell`. */
  readonly outcomes: string
  /** Changes if the case was edited. */
  readonly hash: string
}

/** One case over all runs, oldest first. */
export interface CaseHistory {
  readonly suite: string
  readonly case: string
  readonly entries: readonly CaseEntry[]
  /** The number of runs whose logs are still to be read, so that they are not among the entries. */
  readonly pending: number
}

/** One subject of one run, as a column of the matrix. */
export interface MatrixColumn {
  readonly run: string
  readonly subject: string
}

/** The trials of a column on a case, and the answer of one of them. */
export interface MatrixCell {
  readonly outcomes: string
  /** The position of the trial whose answer is shown. */
  readonly index: number
  /** Null if the trial was not recorded. */
  readonly trial: {
    readonly outcome: string
    readonly score: number | null
    readonly answer: ViewText | null
    /** Whether an agent worked on it: its steps and changes are on the page of the trial. */
    readonly acted: boolean
    /** The answer is not on this static site. */
    readonly isLeftOut?: true
  } | null
}

export interface MatrixRow {
  readonly case: string
  readonly name: string
  /** Whether the answers are code, which is compared by lines. */
  readonly isCode: boolean
  /** In the order of the columns. Null if the run does not have the case. */
  readonly cells: readonly (MatrixCell | null)[]
}

/** Cases × subjects: a part of the rows that meet the filter. */
export interface ViewMatrix {
  readonly suites: readonly string[]
  readonly suite: string
  readonly columns: readonly (MatrixColumn & { readonly title: string; readonly folder: string })[]
  readonly rows: readonly MatrixRow[]
  readonly from: number
  /** The number of rows that meet the filter, and of all rows. */
  readonly matching: number
  readonly total: number
  /** The largest number of trials of a cell. */
  readonly trials: number
}

/** Which rows of the matrix are shown. */
export type MatrixFilter = 'all' | 'failed' | 'different'
