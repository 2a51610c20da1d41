/** Thrown if a repository cannot be read. The message says why and is shown to the user. */
export class GitSourceError extends Error {
  override name = 'GitSourceError'
}

/**
 * Turns an error of the file system into a `GitSourceError`, because such an error means that the repository's files
 * are not in the form that git writes. Returns any other error unchanged.
 */
export function sourceError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  return typeof code !== 'string'
    ? error
    : new GitSourceError(`a repository that cannot be read (${code})`, { cause: error })
}
