/** Opens the workspace of a trial. */
import { SubjectError, type Case, type Identity, type TrialWorkspace } from '@assay/contract'
import { WorkspaceError } from '../../workspace/index.ts'
import type { Job } from '../schedule/job.ts'
import { neededStore } from '../workspaces.ts'

/** Rejects with a `SubjectError` where the workspace cannot be made, and with the signal's reason. */
export async function openWorkspace(
  job: Pick<Job, 'workspaces'>,
  one: Case,
  identity: Identity,
  signal: AbortSignal,
): Promise<TrialWorkspace> {
  try {
    const opening = neededStore(job).open(one, identity)
    return await untilAborted(opening, signal, (late) => late.close())
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    throw new SubjectError(error.message, {
      reason: 'workspace-failed',
      retry: false,
      cause: error,
    })
  }
}

/** The work, or the signal's reason; what comes too late is put away. */
async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  putAway: (late: T) => Promise<void>,
): Promise<T> {
  const stop = Promise.withResolvers<never>()
  const onAbort = (): void => {
    stop.reject(signal.reason)
    work.then(putAway).catch(() => {})
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, stop.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
