/** Lists the changed files, including those whose content could not be stored, and describes them briefly. */
import type { FileChange, WorkspaceDiff } from '@assay/contract'
import { quoted } from '../shown.ts'

const MOST_NAMED = 5

/**
 * Returns all changes. `unkept` lists the changed files whose content could not be stored. A file that was replaced
 * by a pipe is in both lists but counts as one change.
 */
export function touched({ changes, unkept = [] }: WorkspaceDiff): readonly FileChange[] {
  if (unkept.length === 0) return changes
  const told = new Set(changes.map(({ path }) => path))
  const added = unkept.filter((path) => !told.has(path))
  return [...changes, ...added.map((path): FileChange => ({ path, change: 'added' }))]
}

export function shownChanges(changes: readonly FileChange[]): string {
  const named = changes
    .slice(0, MOST_NAMED)
    .map(({ change, path }) => `${change} ${quoted(path, 60)}`)
  const more = changes.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
