/** The workspace could not be set up: the trial is errored, for nobody has acted in it yet. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}
