/**
 * Thrown if a workspace could not be set up. The trial is then errored, not failed, because the subject has not
 * worked yet.
 */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}
