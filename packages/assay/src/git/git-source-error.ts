/** Says, in words for the user, why a repository is not read. */
export class GitSourceError extends Error {
  override name = 'GitSourceError'
}

/**
 * Turns an error of the file system into a `GitSourceError`: then the repository's files are not as git
 * writes them. Returns any other error unchanged.
 */
export function sourceError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  return typeof code !== 'string'
    ? error
    : new GitSourceError(`a repository that cannot be read (${code})`, { cause: error })
}
