/** One error type per kind of cause. Any other thrown error is a bug in Assay. */

/** The user's mistake, such as wrong flags or files. Nothing has started yet; exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}

/** A failure of the environment: a full disk, a missing folder, a run that cannot continue; exit code 3. */
export class RunError extends Error {
  override readonly name: string = 'RunError'
}
