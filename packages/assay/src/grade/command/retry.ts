/**
 * Graders of somebody else's fail: on everything (a bug, a missing file) or on one answer alone, which has
 * then provoked it. Each is asked once more before the trial is errored, and a failure that repeats on the
 * same answer is said to.
 */
import { plain } from '@assay/contract'
import { GraderTimeout, type GraderOutput } from '../grader.ts'
import { shortened } from '../shown.ts'

const LONGEST = 500

export async function askTwice(
  signal: AbortSignal,
  work: () => Promise<GraderOutput>,
): Promise<GraderOutput> {
  try {
    return await work()
  } catch (error) {
    // A deadline is the answer's doing, and would only be waited for again.
    if (signal.aborted || error instanceof GraderTimeout) throw error
  }
  try {
    return await work()
  } catch (error) {
    if (signal.aborted || error instanceof GraderTimeout) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`failed, and again on the same answer: ${plain(shortened(why, LONGEST))}`, {
      cause: error,
    })
  }
}
