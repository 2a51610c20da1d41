/**
 * Finds a project's settings: `assay.toml` in the folder, else in the nearest parent up to the root of the
 * repository. It never looks above that root, nor in a folder that is writable for everybody or that contains home
 * folders: another user, or another project, could have put the file there.
 */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** The file name of a project's settings. */
export const SETTINGS_FILE = 'assay.toml'

/** Returns the path of the file, or null if there is none. If `folder` is `.`, the path is relative to it. */
export async function findSettingsFile(folder: string): Promise<string | null> {
  const own = join(folder, SETTINGS_FILE)
  if (existsSync(own)) return own
  const start = realpathSync(folder)
  const above = parentsOf(start)
  // Most folders have no settings above them. Then there is no need to find the repository.
  if (!above.some(hasSettings)) return null
  const { isEverybodys, repositoryOf } = await import('@assay/sandbox')
  const root = repositoryOf(start)
  if (root === start) return null
  for (const parent of above) {
    if (isEverybodys(parent)) return null
    if (hasSettings(parent))
      return folder === '.'
        ? join(relative(start, parent), SETTINGS_FILE)
        : join(parent, SETTINGS_FILE)
    if (parent === root) return null
  }
  return null
}

const hasSettings = (folder: string): boolean => existsSync(join(folder, SETTINGS_FILE))

/** Returns all parent folders, the nearest first. */
function parentsOf(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [] : [parent, ...parentsOf(parent)]
}
