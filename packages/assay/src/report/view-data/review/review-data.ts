/** The data of the Review page, which `assay view` sends and a static site contains. */
import type { Label } from '@assay/contract'
import type { CellName } from './verdicts.ts'
import type { GivenVerdict, Rater } from './verdicts.ts'

/** A trial that can be reviewed. `position` is its place among the outcomes of its cell, by which the pages name it. */
export interface ReviewItem extends CellName {
  readonly position: number
  readonly index: number
}

/** A label, and what the graders said about the same answer. */
export interface ReviewedLabel {
  readonly label: Label
  /** The place of the trial among the outcomes of its cell. */
  readonly position: number
  /** Whether the trial still has the answer that was reviewed. If not, the label counts nowhere. */
  readonly isCurrent: boolean
  readonly verdicts: readonly GivenVerdict[]
}

/** How many trials of a subject a rater passed, of all trials that it gave a verdict on. */
export interface Observed extends Rater {
  readonly suite: string
  readonly subject: string
  readonly n: number
  readonly c: number
}

export interface ReviewData {
  /** The id of the run, which a file of labels names. */
  readonly run: string
  /** Trials in a random order that is the same for everybody, so that two people begin with the same ones. */
  readonly queue: readonly ReviewItem[]
  /** The number of trials that could be reviewed. The queue has the first of them. */
  readonly reviewable: number
  readonly labels: readonly ReviewedLabel[]
  readonly observed: readonly Observed[]
  /** Problems with the file of labels. */
  readonly notes: readonly string[]
}
