/**
 * Removes a folder with everything in it. Links are removed, never followed. An agent may have removed Assay's
 * permissions on folders, or nested folders so deeply that their path is too long for the system. Such folders are
 * removed too.
 */
import { spawnSync } from 'node:child_process'
import { lstatSync, rmSync } from 'node:fs'
import { walk } from './walk.ts'

const LAST_TRY_MS = 120_000

export function removeTree(path: string): void {
  try {
    remove(path)
  } catch {
    try {
      // `walk` gives this process permission to all folders of the tree. The entries that it returns are not needed.
      for (const found of walk(path)) void found
      remove(path)
    } catch (error) {
      // The path may be too long. The system's `rm` works without complete paths, so it can remove such folders.
      spawnSync('/bin/rm', ['-rf', '--', path], { stdio: 'ignore', timeout: LAST_TRY_MS })
      if (isThere(path)) throw error
    }
  }
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 2 })

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
