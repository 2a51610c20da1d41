/**
 * Keeps a trial's workspace for a user who wants to inspect it. The kept folder is named after the trial, and its
 * permissions let the user read it.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Identity } from '@assay/contract'
import type { FileThreads } from './files/file-threads.ts'
import { ourselves } from './files/chown-tree.ts'

const LONGEST_NAME = 120

/**
 * Moves the workspace's folder into the folder for kept workspaces. Replaces the folder that an earlier run of the same
 * trial left there.
 */
export async function keepFolder(
  folder: string,
  keep: string,
  identity: Identity,
  threads: FileThreads,
): Promise<void> {
  const owner = ourselves()
  if (owner !== null) await threads.run({ kind: 'give', folder, owner })
  const target = join(keep, nameOf(identity))
  mkdirSync(keep, { recursive: true })
  await threads.run({ kind: 'remove', folder: target })
  try {
    renameSync(folder, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await threads.run({ kind: 'copy', from: folder, to: target, owner: null })
    await threads.run({ kind: 'remove', folder })
  }
}

/**
 * Returns the folder's name. If characters of the name had to be replaced or cut off, a hash of the trial's
 * identity is appended, so that the name stays unique.
 */
export function nameOf({ suite, case: id, subject, index }: Identity): string {
  const whole = [suite, id, subject, index].join('-')
  const safe = whole.replaceAll(/[^A-Za-z0-9._-]+/g, '_').replace(/^[.-]+/, '_')
  if (safe === whole && safe.length <= LONGEST_NAME) return safe
  const hash = createHash('sha256')
    .update(JSON.stringify([suite, id, subject, index]))
    .digest('hex')
  return `${safe.slice(0, LONGEST_NAME)}-${hash.slice(0, 8)}`
}
