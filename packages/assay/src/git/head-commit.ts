/**
 * Finds the commit that a folder's repository is at. It reads the repository's files itself and does not run git,
 * because git would apply the settings of the repository, which may be untrusted.
 */
import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitFoldersOf, textAt } from './git-folders.ts'

const HASH = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u
/** Git follows a chain of at most five names too. */
const MOST_NAMES = 5

/**
 * Returns the hash of the commit; null if the folder is in no repository, or if its commit cannot be read. Changes that
 * are not committed do not show.
 */
export function headCommit(folder: string): string | null {
  try {
    const root = rootAbove(realpathSync(folder))
    return root === null ? null : commitOf(root)
  } catch {
    // A link in place of a file, a file that is not text, or one that may not be read.
    return null
  }
}

function rootAbove(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder
    if (dirname(folder) === folder) return null
  }
}

function commitOf(root: string): string | null {
  const [own, common] = gitFoldersOf(root)
  let text = (textAt(join(own, 'HEAD')) ?? '').trim()
  for (let i = 0; i < MOST_NAMES; i++) {
    if (HASH.test(text)) return text
    const [, name] = /^ref: (refs\/\S+)$/u.exec(text) ?? []
    if (name === undefined || name.split('/').includes('..')) return null
    // A worktree has a few branches that belong to it alone, such as those of a bisection.
    const loose = textAt(join(own, name)) ?? (own === common ? null : textAt(join(common, name)))
    text = (loose ?? packed(common, name) ?? '').trim()
  }
  return null
}

/** Looks for a branch in the file that git packs branches into. */
function packed(common: string, name: string): string | null {
  for (const line of (textAt(join(common, 'packed-refs')) ?? '').split('\n')) {
    const [hash = '', found] = line.split(' ')
    if (found?.trim() === name) return hash
  }
  return null
}
