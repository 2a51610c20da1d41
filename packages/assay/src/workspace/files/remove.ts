/**
 * Removes a folder with everything in it. This must work even if an agent has removed Assay's permissions on its
 * folders, or has nested them so deeply that their path is too long for the system. Links are removed, never
 * followed.
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
      // `walk` restores this process's permissions on all folders of the tree.
      for (const found of walk(path)) void found
      remove(path)
    } catch (error) {
      // The system's `rm` works without complete paths, so it can remove folders whose path is too long.
      spawnSync('/bin/rm', ['-rf', '--', path], { stdio: 'ignore', timeout: LAST_TRY_MS })
      if (isThere(path)) throw error
    }
  }
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 2 })

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
