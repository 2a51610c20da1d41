/**
 * The folder, inside the machine's temporary folder, where a store keeps everything. Its name identifies its
 * process, so that the next store can remove what a killed process left. The name does not mention Assay,
 * because an agent sees it if the sandbox cannot move folders.
 */
import { realpathSync } from 'node:fs'
import { abandonedFolders, makeOwnedFolder } from '@assay/sandbox'

const NAME = 'work'

/** Creates the folder. Other users cannot read it, and its path contains no links. */
export const makeRoot = (temporary: string): string =>
  makeOwnedFolder(NAME, realpathSync(temporary))

/** Returns our folders whose process has ended. */
export const leftRoots = (temporary: string): string[] => abandonedFolders(NAME, temporary)
