/** The data of the Review page, which `assay view` sends and a static site contains. */
import type { Label } from '@assay/contract'
import type { CellName } from './verdicts.ts'
import type { GivenVerdict, Rater } from './verdicts.ts'

/**
 * A trial that can be reviewed. `position` is its position among the outcomes of its cell (one subject on one case).
 * The pages identify the trial by it.
 */
export interface ReviewItem extends CellName {
  readonly position: number
  readonly index: number
}

/** A person's label, and what the graders said about the same answer. */
export interface ReviewedLabel {
  readonly label: Label
  /** The position of the trial among the outcomes of its cell (one subject on one case). */
  readonly position: number
  /** Whether the trial still has the answer that was reviewed. If not, the label does not count. */
  readonly isCurrent: boolean
  readonly verdicts: readonly GivenVerdict[]
}

/** How many trials of a subject a rater (a judge or all graders) passed, and on how many trials it gave a verdict. */
export interface Observed extends Rater {
  readonly suite: string
  readonly subject: string
  readonly n: number
  readonly c: number
}

export interface ReviewData {
  /** The id of the run. A label file contains it. */
  readonly run: string
  /**
   * Trials in a random order that is the same for all people. So two people begin with the same trials, and their
   * labels can be compared.
   */
  readonly queue: readonly ReviewItem[]
  /** The number of trials that can be reviewed. The queue contains only the first of them. */
  readonly reviewable: number
  readonly labels: readonly ReviewedLabel[]
  readonly observed: readonly Observed[]
  /** Problems with the label file. */
  readonly notes: readonly string[]
}
