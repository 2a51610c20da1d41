/**
 * The root folder of a workspace store, in the machine's temporary folder. Its name contains the id of the process, so
 * that a later store can find and remove the folders of killed processes. The name does not mention Assay: the agent
 * may see the real path, and must not learn from it that it is being evaluated.
 */
import { realpathSync } from 'node:fs'
import { abandonedFolders, makeOwnedFolder } from '@assay/sandbox'

const NAME = 'work'

/** Creates the root folder. Other users cannot read it, and its path contains no links. */
export const makeRoot = (temporary: string): string =>
  makeOwnedFolder(NAME, realpathSync(temporary))

/** Returns the root folders that are left from processes that have ended. */
export const leftRoots = (temporary: string): string[] => abandonedFolders(NAME, temporary)
