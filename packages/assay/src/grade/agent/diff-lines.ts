/**
 * The lines of a workspace's changes. A patch tells them; a new file without one is all new lines; of what
 * is no text, or too large to show, no lines are known, which is not the same as none.
 */
import type { FileChange, WorkspaceDiff } from '@assay/contract'

export interface ChangedLines {
  /** Null where they are not known. */
  readonly added: readonly string[] | null
  readonly removed: readonly string[] | null
}

export function changedLines({ change, text, patch }: FileChange): ChangedLines {
  if (patch !== undefined) return linesOfPatch(patch)
  switch (change) {
    case 'added':
      return { added: text === undefined ? null : linesOf(text), removed: [] }
    case 'deleted':
      return { added: [], removed: null }
    default:
      return { added: null, removed: null }
  }
}

/** Within hunks every line has its mark, so that nothing in a file can pass for a hunk's head. */
function linesOfPatch(patch: string): ChangedLines {
  const added: string[] = []
  const removed: string[] = []
  for (const line of patch.split('\n'))
    if (line.startsWith('+')) added.push(line.slice(1))
    else if (line.startsWith('-')) removed.push(line.slice(1))
  return { added, removed }
}

export function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The changes as a text to read: a head for each file, then its patch. Paths are the agent's own words. */
export function diffText({ changes }: WorkspaceDiff): string {
  return changes
    .map((change) => {
      const modes =
        change.modeBefore !== undefined &&
        change.mode !== undefined &&
        change.modeBefore !== change.mode
          ? `, mode ${change.modeBefore} to ${change.mode}`
          : ''
      const head = `=== ${change.change} ${JSON.stringify(change.path.toWellFormed())}${modes}`
      const body = bodyOf(change)
      return body === '' ? head : `${head}\n${body}`
    })
    .join('\n')
}

function bodyOf(change: FileChange): string {
  if (change.patch !== undefined) return change.patch.replace(/\n$/, '')
  const { added } = changedLines(change)
  if (added === null) return '(no text, or too large to show)'
  return added.map((line) => `+${line}`).join('\n')
}
