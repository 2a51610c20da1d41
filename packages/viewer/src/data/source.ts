/**
 * The interface through which the app gets the data of a run. The HTML report answers from the data inside
 * the file (`embedded.ts`). A server will answer the same requests over HTTP, so every method returns a
 * promise.
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

/** One subject on one case. */
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
  /** Returns the indexes of a cell's trials that can be opened. */
  unfoldable(place: Place): Promise<ReadonlySet<number>>
  /** Returns a trial; null if its texts were left out. */
  trial(identity: Identity): Promise<ViewTrial | null>
}
