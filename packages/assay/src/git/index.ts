/** Reads untrusted git repositories and bundles without applying their settings. */
export { gitEnvironment, GIT_WORDS } from './git-command.ts'
export { GitSourceError, sourceError } from './git-source-error.ts'
export { emptyRepository, type ObjectFormat, privateRepository } from './private-repository.ts'
export { ownFolders } from './git-folders.ts'
export { headCommit } from './head-commit.ts'
export { addressFault, cachedCommit } from './remote-commit.ts'
