/**
 * Thrown if a workspace could not be set up. The trial then counts as errored, not as failed, because the subject has
 * not done anything yet.
 */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}
