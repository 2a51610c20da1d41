/**
 * Removes a folder with whatever is in it. Its user may have closed folders to us and nested them deeper
 * than a path can be long; links are removed, never followed.
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
      // A walk opens the folders that are closed to us.
      for (const found of walk(path)) void found
      remove(path)
    } catch (error) {
      // The system's own can do without whole paths.
      spawnSync('/bin/rm', ['-rf', '--', path], { stdio: 'ignore', timeout: LAST_TRY_MS })
      if (isThere(path)) throw error
    }
  }
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 2 })

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
