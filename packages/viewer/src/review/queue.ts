/** Which trials of the queue a person has still to review. */
import type { ReviewedLabel, ReviewItem } from '../data/workbench-source.ts'

/** The labels of a trial. A label of an answer that was replaced does not count. */
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

export const isDone = (
  item: ReviewItem,
  labels: readonly ReviewedLabel[],
  reviewer: string,
): boolean => labelsOf(item, labels).some(({ label }) => label.reviewer === reviewer)

/** The place of the next trial without a label of the person, from `from` on. */
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
