/**
 * Returns the lines that changed in a workspace. They come from the patch of each file. If a new file has no patch,
 * all of its lines are new. The lines of a file are unknown if the file is not text or is too large for a patch.
 * Unknown lines are not the same as no lines.
 */
import type { FileChange, WorkspaceDiff } from '@assay/contract'

export interface ChangedLines {
  /** The added lines; null if they are unknown. `removed` works in the same way. */
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
 * Returns the added and removed lines of a patch. Inside a hunk (a group of changed lines) every line starts with a
 * space, `+` or `-`. So no line of a file can be mistaken for the header of a hunk.
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
 * Returns the changes as readable text: a header for each file, then its patch. The agent chooses the paths, so they
 * are escaped.
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
