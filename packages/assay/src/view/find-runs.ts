/**
 * Finds the run folders below the folders that the user named. Links are not followed, so nothing outside of these
 * folders is found. The search has limits, because the user may name a very large folder, such as a home folder.
 */
import { readdirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { isRunFolder } from '../log/index.ts'

export interface FoundRuns {
  readonly folders: readonly string[]
  /** Messages about folders that could not be read or were not searched. */
  readonly notes: readonly string[]
}

export interface SearchLimits {
  readonly depth: number
  /** The limit on the folders that are searched. */
  readonly folders: number
}

const LIMITS: SearchLimits = { depth: 8, folders: 20_000 }

/** Folders that are not searched, because they contain many files and no runs. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git', 'blobs', 'workspaces'])

export function runsBelow(roots: readonly string[], limits: SearchLimits = LIMITS): FoundRuns {
  const folders: string[] = []
  const unread: string[] = []
  let left = limits.folders
  let tooDeep = 0
  // The folders are searched level by level. So if a limit is reached, runs near the root are already found.
  const queue = roots.map((path) => ({ path, depth: 0 }))
  let at = 0
  for (; at < queue.length && left > 0; at++, left--) {
    const { path, depth } = queue[at] as (typeof queue)[number]
    if (isRunFolder(path)) {
      folders.push(path)
      continue
    }
    let entries: Dirent[]
    try {
      entries = readdirSync(path, { withFileTypes: true })
    } catch {
      unread.push(path)
      continue
    }
    const inside = entries.filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
    if (depth < limits.depth)
      for (const { name } of inside) queue.push({ path: join(path, name), depth: depth + 1 })
    else tooDeep += inside.length
  }
  return {
    folders,
    notes: [
      ...(at < queue.length
        ? [
            `only the first ${limits.folders} folders were searched for runs; name a folder that is nearer to them`,
          ]
        : []),
      ...(tooDeep > 0
        ? [`folders more than ${limits.depth} levels down were not searched for runs`]
        : []),
      ...unread.slice(0, 3).map((path) => `${path} cannot be read`),
    ],
  }
}
