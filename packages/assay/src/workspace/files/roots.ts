/**
 * The folder in the machine's temporary one where a store keeps everything. Its name says whose it is, so
 * that the next store can remove what a killed process left; it says nothing of Assay, for where the
 * sandbox cannot move folders an agent sees it.
 */
import { realpathSync } from 'node:fs'
import { abandonedFolders, makeOwnedFolder } from '@assay/sandbox'

const NAME = 'work'

/** Closed to other users, without links on the way. */
export const makeRoot = (temporary: string): string =>
  makeOwnedFolder(NAME, realpathSync(temporary))

/** Roots of ours whose process is no more. */
export const leftRoots = (temporary: string): string[] => abandonedFolders(NAME, temporary)
