/**
 * The data of a static site. Each of these types is the content of one file. The file is loaded as a classic script,
 * not as a module.
 */
import type { ReviewData } from './review/review-data.ts'
import type { ViewCase, ViewCell } from './view-data.ts'
import type { RunHead, RunList } from './workbench-data.ts'

export interface SiteIndex {
  /** The runs of the site. The notes in the list say what the site leaves out. */
  readonly list: RunList
  /** The name of each run's file, by the run's key. */
  readonly files: readonly { readonly run: string; readonly file: string }[]
  /** The file of each suite's trend. The first one is shown unless the user asks for another suite. */
  readonly trends: readonly { readonly suite: string; readonly file: string }[]
  readonly comparisons: readonly {
    readonly a: string
    readonly as: string | null
    readonly b: string
    readonly bs: string | null
    readonly file: string
  }[]
}

export interface SiteCell extends ViewCell {
  /** A hash of the case. It changes if the case is edited. */
  readonly hash: string
}

export interface SiteRun {
  readonly head: RunHead
  readonly cells: readonly SiteCell[]
  readonly cases: readonly ViewCase[]
  readonly review: ReviewData
  /** The table of all trials: its files, and the number of trials that did not fit. */
  readonly rows: {
    readonly files: readonly { readonly file: string; readonly suites: readonly string[] }[]
    readonly leftOut: readonly { readonly suite: string; readonly trials: number }[]
  }
  /**
   * The file that contains the texts of each trial. Each entry of `at` has the position of a trial in its cell (one
   * subject on one case) and the name of the file.
   */
  readonly trials: readonly {
    readonly suite: string
    readonly case: string
    readonly subject: string
    readonly at: readonly (readonly [position: number, file: string])[]
  }[]
}
