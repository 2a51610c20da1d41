/** Computes how long a trial took. */
import type { Trial } from '@assay/contract'

/**
 * Returns the duration of a trial in milliseconds: its end minus its start. The log lacks these two times if an earlier
 * version of Assay wrote it, or if the answer was not made and graded in one go (it was cached, recorded earlier, or
 * graded again). Then the duration is the sum of the times for answering, waiting and grading. NaN if the time for
 * answering is unknown.
 */
export const durationMsOf = ({ durationMs, answerMs, waitMs, gradeMs }: Trial['time']): number =>
  durationMs ?? summedMs(answerMs, waitMs, gradeMs)

/** Returns the sum of the times that are known. NaN if the time for answering is unknown. */
export function summedMs(
  answerMs: number | null | undefined,
  waitMs: number | null | undefined,
  gradeMs: number | null | undefined,
): number {
  const known = (ms: number | null | undefined): number =>
    ms === null || ms === undefined || Number.isNaN(ms) ? 0 : ms
  return (answerMs ?? Number.NaN) + known(waitMs) + known(gradeMs)
}
