/** The data of a static site. Each of these is one file, which is loaded as a classic script. */
import type { ReviewData } from './review/review-data.ts'
import type { ViewCase, ViewCell } from './view-data.ts'
import type { RunHead, RunList } from './workbench-data.ts'

export interface SiteIndex {
  /** The runs of the site. Its notes say what the site leaves out. */
  readonly list: RunList
  /** By the key of a run: the name of its file. */
  readonly files: readonly { readonly run: string; readonly file: string }[]
  /** The first is shown unless another suite is asked for. */
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
  /** Changes if the case was edited. */
  readonly hash: string
}

export interface SiteRun {
  readonly head: RunHead
  readonly cells: readonly SiteCell[]
  readonly cases: readonly ViewCase[]
  readonly review: ReviewData
  /** The table of all trials: its files, and how many trials there was no room for. */
  readonly rows: {
    readonly files: readonly { readonly file: string; readonly suites: readonly string[] }[]
    readonly leftOut: readonly { readonly suite: string; readonly trials: number }[]
  }
  /** Which file has the texts of a trial: pairs of a position in the cell and a file. */
  readonly trials: readonly {
    readonly suite: string
    readonly case: string
    readonly subject: string
    readonly at: readonly (readonly [position: number, file: string])[]
  }[]
}
