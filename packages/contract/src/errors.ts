/** One error type per audience. Anything else that is thrown is our bug. */

/** The user's mistake: bad flags, bad files. Nothing has started; exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}

/** The world's failure: a full disk, a folder that vanished, a run that cannot go on; exit code 3. */
export class RunError extends Error {
  override readonly name: string = 'RunError'
}
