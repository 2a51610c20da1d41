/**
 * Removes a folder with everything in it. An agent may have removed our permissions on its folders or nested
 * them deeper than the longest path. Links are removed, never followed.
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
      // Walking the tree restores our permissions on its folders.
      for (const found of walk(path)) void found
      remove(path)
    } catch (error) {
      // The system's `rm` does not need complete paths, so it can remove very deep folders.
      spawnSync('/bin/rm', ['-rf', '--', path], { stdio: 'ignore', timeout: LAST_TRY_MS })
      if (isThere(path)) throw error
    }
  }
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 2 })

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
