/**
 * The data of the pages that show several runs. `assay view` sends it as JSON, and a static site contains the same data
 * as scripts. The pages of a single run use the parts of `ViewData` instead.
 */
import type { Counts } from '../../log/index.ts'
import type { ViewData, ViewText } from './view-data.ts'

/**
 * The state of a run. `running`: a process is writing the run. `stopped`: the run has no recorded end and no process is
 * writing it, for instance because it was killed. `unreadable`: the run cannot be read; `fault` says why. The other
 * states say how the run ended.
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
  /** Hashes of the suite and of the subject's settings. They change if these are edited. */
  readonly suiteHash: string
  readonly subjectHash: string
  /** `c` is the number of passed trials, and `n` is the number of scored trials. */
  readonly c: number
  readonly n: number
  readonly rate: number | null
  readonly low: number | null
  readonly high: number | null
}

/** One run in the list of runs. */
export interface RunRow {
  /** The name that identifies the run in links. */
  readonly key: string
  /** The run's folder, in a form that Assay's commands accept. */
  readonly folder: string
  readonly createdAt: string | null
  readonly endedAt: string | null
  readonly state: RunState
  /** Why the run cannot be read. Null if it can be read. */
  readonly fault: string | null
  readonly title: string
  readonly tags: readonly string[]
  /** The commit of the repository in which the run was started. Null if there was none. */
  readonly commit: string | null
  /** The figures of the run. Null until its log has been read. */
  readonly figures: {
    readonly counts: Counts
    readonly spentUsd: number
    /** The number of scored trials whose price is unknown. */
    readonly unpriced: number
    readonly subjects: readonly RunFigure[]
  } | null
}

export interface RunList {
  readonly runs: readonly RunRow[]
  /** The number of runs whose logs have not been read yet. */
  readonly pending: number
  /** Problems with the search for runs, such as a folder that cannot be read. */
  readonly notes: readonly string[]
}

/** What the pages of a run need: its row in the list of runs, and its data without cells, cases and trials. */
export interface RunHead extends Pick<ViewData, 'stamps' | 'notes' | 'report' | 'leftOut'> {
  readonly row: RunRow
  /**
   * Identifies the moment at which the run was read. Requests for other parts of the run contain it, so that all parts
   * show the same moment.
   */
  readonly at: string
}

/** What a page with many runs shows about each run. */
export type ShownRun = Pick<RunRow, 'key' | 'folder' | 'title' | 'createdAt' | 'state' | 'commit'>

/** What changed for one subject on one suite between two runs. */
export interface SuiteChange {
  /** The gate's verdict. Null if it cannot be decided. */
  readonly verdict: 'regression' | 'improvement' | 'noRegression' | 'inconclusive' | null
  /** The verdict in a sentence, or the reason why there is none. */
  readonly text: string
  /**
   * `cases` is the number of cases that both runs have and that the verdict is about. The next field counts the other
   * cases.
   */
  readonly cases: number
  readonly leftOut: number
  /** Whether the suite differs between the two runs. */
  readonly isEdited: boolean
  /** The settings of the subject that differ between the two runs. */
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
  /** The change since the previous point. Null for the first point, and until the change has been computed. */
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
  /** The pass rates of each subject. Subjects of the newest runs come first. */
  readonly series: readonly TrendSeries[]
  /** The number of subjects that are left out. */
  readonly others: number
  /** The number of pairs of runs that have not been compared yet. */
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

/** One page of the trials that meet the filter, in the order that the user chose. */
export interface TrialPage {
  readonly rows: readonly TrialRow[]
  readonly from: number
  readonly matching: number
  readonly total: number
  /** The number of trials that are missing from the table because they did not fit into a static site. */
  readonly leftOut?: number
}

/** The trials of one subject on a case in one run. */
export interface CaseEntry {
  readonly run: ShownRun
  readonly subject: string
  /** The outcomes of the trials, one letter each, as in `ViewCell`. */
  readonly outcomes: string
  /** A hash of the case. It changes if the case is edited. */
  readonly hash: string
}

/** The trials of one case in all runs, oldest first. */
export interface CaseHistory {
  readonly suite: string
  readonly case: string
  readonly entries: readonly CaseEntry[]
  /** The number of runs whose logs have not been read yet. They have no entries. */
  readonly pending: number
}

/** One subject of one run, as a column of the matrix. */
export interface MatrixColumn {
  readonly run: string
  readonly subject: string
}

/** The trials of one column on one case, and the answer of one of these trials. */
export interface MatrixCell {
  readonly outcomes: string
  /** The position of the trial whose answer is shown. */
  readonly index: number
  /** The trial that is shown. Null if it was not recorded. */
  readonly trial: {
    readonly outcome: string
    readonly score: number | null
    readonly answer: ViewText | null
    /** Whether an agent worked on the trial. If so, its steps and changes are on the trial's page. */
    readonly acted: boolean
    /** Set if this static site does not contain the answer. */
    readonly isLeftOut?: true
  } | null
}

export interface MatrixRow {
  readonly case: string
  readonly name: string
  /** Whether the answers are code. Code is compared line by line. */
  readonly isCode: boolean
  /** The cells in the order of the columns. A cell is null if its run does not have the case. */
  readonly cells: readonly (MatrixCell | null)[]
}

/**
 * One page of the matrix, with a row for each case and a column for each subject. It contains only rows that meet the
 * filter.
 */
export interface ViewMatrix {
  readonly suites: readonly string[]
  readonly suite: string
  readonly columns: readonly (MatrixColumn & { readonly title: string; readonly folder: string })[]
  readonly rows: readonly MatrixRow[]
  readonly from: number
  /** `matching` is the number of rows that meet the filter. The next field is the number of all rows. */
  readonly matching: number
  readonly total: number
  /** The largest number of trials of any cell. */
  readonly trials: number
}

/** Which rows of the matrix are shown. */
export type MatrixFilter = 'all' | 'failed' | 'different'
