/**
 * The error types for causes outside of Assay: the user's input and the environment. Any other thrown error is a bug
 * in Assay.
 */

/** A mistake in the user's input, such as a wrong flag or a faulty file. Thrown before a run starts. Exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}

/** A failure of the environment, such as a full disk, a missing folder or a run that cannot continue. Exit code 3. */
export class RunError extends Error {
  override readonly name: string = 'RunError'
}
