/**
 * Retries graders that are programs of the suite. They may fail on everything (a bug, a missing file), or on one
 * answer that provokes it. Each is run once more before the trial is errored. If it fails again on the same answer,
 * the error says so.
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
    // Do not retry after a timeout: the answer caused it, and the next attempt would take as long.
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
