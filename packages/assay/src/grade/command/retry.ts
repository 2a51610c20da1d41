/**
 * Retries graders that are programs of the suite. Such a grader may fail on every answer (because of a bug or a
 * missing file), or on one answer that triggers a bug. After a failure the grader runs once more. If it fails again
 * on the same answer, the trial is errored, and the error says that it failed twice.
 */
import { plain } from '@assay/contract'
import { GraderTimeout, type GraderOutput } from '../grader.ts'
import { shortened } from '../shown.ts'

const LONGEST = 500

/** Calls `work` and, if it fails, calls it once more. `advice` is added to the error if both calls fail. */
export async function askTwice(
  signal: AbortSignal,
  work: () => Promise<GraderOutput>,
  advice = '',
): Promise<GraderOutput> {
  try {
    return await work()
  } catch (error) {
    // Do not retry after a timeout. The answer caused it, so the next attempt would take as long.
    if (signal.aborted || error instanceof GraderTimeout) throw error
  }
  try {
    return await work()
  } catch (error) {
    if (signal.aborted || error instanceof GraderTimeout) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(
      `failed, and again on the same answer: ${plain(shortened(why, LONGEST))}${plain(advice)}`,
      { cause: error },
    )
  }
}
