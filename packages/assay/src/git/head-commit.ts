/**
 * Finds the commit that is checked out in a folder's repository. The code reads the repository's files itself and does
 * not run git, because git would apply the settings of the repository, which may be untrusted.
 */
import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitFoldersOf, textAt } from './git-folders.ts'

const HASH = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u
/** The most references that are followed from HEAD to a hash. Git has the same limit. */
const MOST_NAMES = 5

/**
 * Returns the hash of the commit. Returns null if the folder is not in a repository, or if the commit cannot be read.
 * The result does not show whether files have changes that are not committed.
 */
export function headCommit(folder: string): string | null {
  try {
    const root = rootAbove(realpathSync(folder))
    return root === null ? null : commitOf(root)
  } catch {
    // The repository cannot be read: for example, a file is a link, is not text, or is not readable for this user.
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
    // A linked worktree has a few references of its own, such as those of `git bisect`. So its own folder is searched
    // first.
    const loose = textAt(join(own, name)) ?? (own === common ? null : textAt(join(common, name)))
    text = (loose ?? packed(common, name) ?? '').trim()
  }
  return null
}

/** Looks for a branch in the file `packed-refs`, in which git stores many branches together. */
function packed(common: string, name: string): string | null {
  for (const line of (textAt(join(common, 'packed-refs')) ?? '').split('\n')) {
    const [hash = '', found] = line.split(' ')
    if (found?.trim() === name) return hash
  }
  return null
}
