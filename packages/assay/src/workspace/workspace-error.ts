/** The workspace could not be set up. The trial is errored, because no subject has worked in it yet. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}
