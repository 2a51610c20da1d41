/** Opens the workspace of a trial, and copies of it for judges that explore it. */
import { SubjectError, type Case, type Identity, type TrialWorkspace } from '@assay/contract'
import { WorkspaceError, type ReviewWorkspace, type WorkspaceStore } from '../../workspace/index.ts'
import { neededStore } from '../workspaces.ts'
import type { TrialServices } from './trial-services.ts'

/**
 * Opens the workspace of a trial. Rejects with a `SubjectError` if the workspace cannot be created, and with the
 * signal's reason if the signal aborts.
 */
export async function openWorkspace(
  services: Pick<TrialServices, 'workspaces'>,
  one: Case,
  identity: Identity,
  signal: AbortSignal,
): Promise<TrialWorkspace> {
  return await opened(neededStore(services).open(one, identity), signal)
}

/** Opens a copy of a workspace for a judge that explores it. Rejects in the same cases as `openWorkspace`. */
export async function openReview(
  services: Pick<TrialServices, 'workspaces'>,
  signal: AbortSignal,
  open: (store: WorkspaceStore) => Promise<ReviewWorkspace>,
): Promise<ReviewWorkspace> {
  return await opened(open(neededStore(services)), signal)
}

async function opened<Opened extends TrialWorkspace>(
  opening: Promise<Opened>,
  signal: AbortSignal,
): Promise<Opened> {
  try {
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

/**
 * Returns the result of `work`, or rejects with the signal's reason as soon as it aborts. If `work` finishes after
 * that, its workspace is removed.
 */
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
