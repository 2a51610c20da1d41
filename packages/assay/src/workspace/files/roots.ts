/**
 * The root folder of a workspace store, inside the machine's temporary folder. Its name identifies the process,
 * so that a later store can remove the folders of a killed process. The name does not mention Assay, because the
 * agent sees the real path if the sandbox cannot mount the folder elsewhere.
 */
import { realpathSync } from 'node:fs'
import { abandonedFolders, makeOwnedFolder } from '@assay/sandbox'

const NAME = 'work'

/** Creates the root folder. Other users cannot read it, and its path contains no links. */
export const makeRoot = (temporary: string): string =>
  makeOwnedFolder(NAME, realpathSync(temporary))

/** Returns the root folders of processes that have ended. */
export const leftRoots = (temporary: string): string[] => abandonedFolders(NAME, temporary)
