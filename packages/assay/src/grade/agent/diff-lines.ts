/**
 * Returns the lines that changed in a workspace. They come from the patch. A new file without a patch consists of new
 * lines only. For a file that is not text or too large to show, the lines are unknown, which is not the same as none.
 */
import type { FileChange, WorkspaceDiff } from '@assay/contract'

export interface ChangedLines {
  /** Null if the lines are unknown. */
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

/**
 * Returns the lines of a patch. Within hunks every line starts with its mark, so no line of a file can look like the
 * head of a hunk.
 */
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

/**
 * Returns the changes as readable text: a head for each file, then its patch. Paths are chosen by the agent and
 * untrusted.
 */
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
