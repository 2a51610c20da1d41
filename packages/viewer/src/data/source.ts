/**
 * The interface through which the app gets the data of a run. In the HTML report, `embedded.ts` implements it with
 * the data inside the file. Every method returns a promise, so that other implementations can get the data from a
 * server.
 */
import type { LeftOut, ViewCase, ViewCell, ViewReport, ViewTrial } from 'assay/view-data'

export type {
  LeftOut,
  Missing,
  ViewCase,
  ViewCell,
  ViewChange,
  ViewData,
  ViewDiff,
  ViewGrade,
  ViewReport,
  ViewStep,
  ViewSubject,
  ViewText,
  ViewTrajectory,
  ViewTrial,
} from 'assay/view-data'

/** The identity of a cell: the trials of one subject on one case. */
export interface Place {
  readonly suite: string
  readonly case: string
  readonly subject: string
}

/** The identity of one trial. */
export interface Identity extends Place {
  readonly index: number
}

export interface Head {
  readonly stamps: readonly string[]
  readonly notes: readonly string[]
  readonly report: ViewReport
  readonly leftOut: LeftOut
}

export interface DataSource {
  head(): Promise<Head>
  cases(suite: string): Promise<readonly ViewCase[]>
  cells(suite: string): Promise<readonly ViewCell[]>
  /** Returns the indexes of those trials of a cell (one subject on one case) that can be opened. */
  unfoldable(place: Place): Promise<ReadonlySet<number>>
  /** Returns a trial. Null if the report does not contain its texts. */
  trial(identity: Identity): Promise<ViewTrial | null>
}
