/**
 * Where the page gets its data from: the one seam between the app and a run. The HTML report answers from
 * the data inside the file (`embedded.ts`); a server will answer the same questions over HTTP, which is
 * why every answer is a promise.
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

/** One trial, as everywhere. */
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
  /** Which trials of a cell can be unfolded. */
  unfoldable(place: Place): Promise<ReadonlySet<number>>
  /** Null where its texts were left out. */
  trial(identity: Identity): Promise<ViewTrial | null>
}
