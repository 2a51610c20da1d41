/**
 * Finds a project's settings: `assay.toml` in the folder, otherwise in the nearest parent folder up to the root of
 * the repository. It does not look in three kinds of folders: folders above that root, folders that every user can
 * write to, and folders that contain home folders. Another user or another project could have put a file there.
 */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'

/** The file name of a project's settings. */
export const SETTINGS_FILE = 'assay.toml'

/** Returns a path that a file in `folder` names. A relative path is relative to the file's folder. */
export const pathFrom = (folder: string, named: string): string =>
  isAbsolute(named) ? named : join(folder, named)

/** Returns the path of the file, or null if there is none. If `folder` is `.`, the path is relative to it. */
export async function findSettingsFile(folder: string): Promise<string | null> {
  const own = join(folder, SETTINGS_FILE)
  if (existsSync(own)) return own
  const start = realpathSync(folder)
  const above = parentsOf(start)
  // Most folders have no settings file above them. In that case the repository's root is not needed, and the sandbox
  // package is not loaded.
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
