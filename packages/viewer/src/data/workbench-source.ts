/**
 * The interface through which the pages of the workbench get their data. `http.ts` implements it for `assay view`,
 * and `site.ts` for a static site. A page asks for the data that it shows, and asks again when `watch` reports a
 * change.
 */
import type {
  CaseHistory,
  MatrixColumn,
  MatrixFilter,
  ReviewData,
  ReviewedLabel,
  ReviewItem,
  RunHead,
  RunList,
  Trend,
  TrialOrder,
  TrialPage,
  ViewComparison,
  ViewMatrix,
} from 'assay/view-data'
import type { DataSource, Head } from './source.ts'

export type {
  CaseEntry,
  CaseHistory,
  MatrixCell,
  MatrixColumn,
  MatrixFilter,
  MatrixRow,
  ReviewData,
  ReviewedLabel,
  ReviewItem,
  RunFigure,
  RunHead,
  RunList,
  RunRow,
  RunState,
  SuiteChange,
  Trend,
  TrendPoint,
  TrendSeries,
  TrialOrder,
  TrialPage,
  ViewCaseChange,
  ViewCaseName,
  ViewComparison,
  ViewMatrix,
  ViewPair,
  ViewSide,
} from 'assay/view-data'

export interface RunSource extends Omit<DataSource, 'head'> {
  readonly head: () => Promise<Head & RunHead>
  /** Returns one page of the table of trials. */
  readonly trials: (asked: TrialsAsked) => Promise<TrialPage>
}

export interface TrialsAsked {
  readonly suite: string
  /** The filters. An empty text means all. */
  readonly subject: string
  readonly outcome: string
  readonly words: string
  readonly order: TrialOrder
  readonly isDescending: boolean
  readonly from: number
}

/**
 * A change of the data. `gone` means that the run folder was deleted, and `lost` that the server cannot be reached.
 */
export type Change = 'changed' | 'gone' | 'lost'

/** One side of a comparison: a run, and one of its subjects or all of them. */
export interface ComparedSide {
  readonly run: string
  readonly subject: string | null
}

export interface MatrixAsked {
  readonly columns: readonly MatrixColumn[]
  readonly suite: string | null
  readonly case: string | null
  readonly only: MatrixFilter
  readonly index: number
  readonly from: number
}

/** Which trials to review. Null means all. */
export interface ReviewAsked {
  readonly suite: string | null
  readonly subject: string | null
}

/** A label as a page sends it. The time is added when the label is stored. */
export interface GivenLabel extends Omit<ReviewItem, 'index'> {
  readonly answer: string
  readonly reviewer: string
  readonly verdict: 'pass' | 'fail' | 'unsure' | 'withdrawn'
  readonly note: string
  readonly blind: boolean
  readonly picked: 'random' | 'chosen'
}

/** Labels that exist only in this browser, because the pages are static files. */
export interface KeptLabels {
  readonly count: (run: string) => number
  /** Whether the browser still has the labels after the page is closed. */
  readonly isKept: () => boolean
  /** Saves the labels as a file for `assay label --import`. */
  readonly download: (run: string) => void
}

export interface Workbench {
  readonly review: (run: string, asked: ReviewAsked) => Promise<ReviewData>
  /** Returns the labels that people gave to the trials of a run. */
  readonly labels: (run: string) => Promise<readonly ReviewedLabel[]>
  readonly addLabel: (run: string, label: GivenLabel) => Promise<void>
  /** The labels that only this browser has. Null if labels are stored in the run folder immediately. */
  readonly kept: KeptLabels | null
  readonly runs: () => Promise<RunList>
  readonly run: (key: string) => RunSource
  /** Compares two runs, or one subject of each. */
  readonly compare: (a: ComparedSide, b: ComparedSide) => Promise<ViewComparison>
  /** Returns one page of the matrix of cases × subjects. */
  readonly matrix: (asked: MatrixAsked) => Promise<ViewMatrix>
  /**
   * Returns the pass rates of a suite over all runs. If `suite` is null, uses the suite of the newest run. Absent if
   * there is no trend.
   */
  readonly trend?: (suite: string | null) => Promise<Trend>
  /** Returns the outcomes of one case in all runs. */
  readonly history: (suite: string, one: string) => Promise<CaseHistory>
  /**
   * Calls `tell` when the run `key` changes or, if `key` is null, when the list of runs changes. Returns a function
   * that ends the calls.
   */
  readonly watch: (key: string | null, tell: (change: Change) => void) => () => void
  /** Deletes the folder of a run. Null if the pages cannot do that. */
  readonly deleteRun: ((key: string) => Promise<void>) | null
}
