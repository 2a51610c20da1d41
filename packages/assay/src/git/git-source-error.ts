/** Why a repository is not read; for people. */
export class GitSourceError extends Error {
  override name = 'GitSourceError'
}

/** What the system says when a repository's files are not what git makes, as a reason; else the error itself. */
export function sourceError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  return typeof code !== 'string'
    ? error
    : new GitSourceError(`a repository that cannot be read (${code})`, { cause: error })
}
