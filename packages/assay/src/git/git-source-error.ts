/** Why a repository is not read; for people. */
export class GitSourceError extends Error {
  override name = 'GitSourceError'
}
