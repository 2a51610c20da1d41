/** Finds the trials of the review queue that a person still has to review. */
import type { ReviewedLabel, ReviewItem } from '../data/workbench-source.ts'

/** Returns the labels of a trial. If the trial has a new answer, labels of its earlier answer do not count. */
export const labelsOf = (
  { suite, case: one, subject, position }: Omit<ReviewItem, 'index'>,
  labels: readonly ReviewedLabel[],
): ReviewedLabel[] =>
  labels.filter(
    ({ label, position: at, isCurrent }) =>
      isCurrent &&
      at === position &&
      label.case === one &&
      label.subject === subject &&
      label.suite === suite,
  )

/**
 * True if the person labelled this trial when it came up in the random order. A trial that the person labelled on
 * purpose comes up once more. People open a trial on purpose because its judge seems wrong, so without these trials the
 * judge would seem better than it is.
 */
export const isDone = (
  item: ReviewItem,
  labels: readonly ReviewedLabel[],
  reviewer: string,
): boolean =>
  labelsOf(item, labels).some(
    ({ label }) => label.reviewer === reviewer && label.picked === 'random',
  )

/**
 * Returns the index of the next trial, starting at `from`, that this person has not reviewed. If there is none,
 * returns the length of the queue.
 */
export function nextOpen(
  queue: readonly ReviewItem[],
  labels: readonly ReviewedLabel[],
  reviewer: string,
  from: number,
): number {
  const own = labels.filter(({ label }) => label.reviewer === reviewer)
  const at = queue.findIndex((item, i) => i >= from && !isDone(item, own, reviewer))
  return at === -1 ? queue.length : at
}
