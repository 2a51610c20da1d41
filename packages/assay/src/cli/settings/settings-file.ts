/**
 * Where a project's settings are: `assay.toml` in the folder, else in the nearest parent up to the root of the
 * repository. Never above that root, and never in a folder that everybody may write to or that holds a home folder:
 * another user, or another project, could have put it there.
 */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** What a project's settings are called. */
export const SETTINGS_FILE = 'assay.toml'

/** The file as a user in the folder would name it; null where there is none. */
export async function findSettingsFile(folder: string): Promise<string | null> {
  const own = join(folder, SETTINGS_FILE)
  if (existsSync(own)) return own
  const start = realpathSync(folder)
  const above = parentsOf(start)
  // Most folders have none above them: no need to know the repository.
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

/** The nearest first. */
function parentsOf(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [] : [parent, ...parentsOf(parent)]
}
