/** Applies the diffs in an answer to the files of the case. */
import type { Sources } from '../language.ts'

interface FilePatch {
  readonly path: string
  readonly hunks: readonly Hunk[]
}

/**
 * A diff with more hunks than this, or for a file with more lines, is not applied. Otherwise, an answer could keep
 * the host busy.
 */
const MOST_HUNKS = 200
const MOST_LINES = 20_000
/**
 * A hunk (one continuous change of a diff) is searched for within this many lines of the line number that it states.
 */
const MOST_DISTANCE = 500

interface Hunk {
  /** The line at which the diff says the hunk begins, counted from 0. */
  readonly at: number
  readonly before: readonly string[]
  readonly after: readonly string[]
}

const HEADER = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/

/** Returns the changed files. Returns null if a diff cannot be applied or there is no diff. */
export function patchedFiles(diffs: readonly string[], given: Sources): Sources | null {
  const files: Record<string, string> = {}
  for (const patch of diffs.flatMap(readPatches)) {
    const path = [patch.path, patch.path.replace(/^[ab]\//, '')].find((one) =>
      Object.hasOwn(given, one),
    )
    if (path === undefined) return null
    const changed = applied(files[path] ?? given[path] ?? '', patch.hunks)
    if (changed === null) return null
    files[path] = changed
  }
  return Object.keys(files).length > 0 ? files : null
}

function readPatches(diff: string): FilePatch[] {
  const patches: { path: string; hunks: { at: number; before: string[]; after: string[] }[] }[] = []
  const lines = diff.split('\n')
  for (const [index, line] of lines.entries()) {
    const isNewFile = line.startsWith('+++ ') && (lines[index - 1] ?? '').startsWith('--- ')
    if (isNewFile) {
      patches.push({ path: line.slice(4).split('\t', 1)[0]?.trim() ?? '', hunks: [] })
      continue
    }
    const patch = patches.at(-1)
    const [, at] = HEADER.exec(line) ?? []
    if (at !== undefined)
      patch?.hunks.push({ at: Math.max(0, Number(at) - 1), before: [], after: [] })
    const hunk = patch?.hunks.at(-1)
    if (hunk === undefined || at !== undefined) continue
    const isNextFile = line.startsWith('--- ') && (lines[index + 1] ?? '').startsWith('+++ ')
    if (isNextFile || /^(?:diff |index |\\)/.test(line)) continue
    if (line.startsWith('+')) hunk.after.push(line.slice(1))
    else if (line.startsWith('-')) hunk.before.push(line.slice(1))
    else if (line.startsWith(' ') || (line === '' && index < lines.length - 1)) {
      hunk.before.push(line.slice(1))
      hunk.after.push(line.slice(1))
    }
  }
  return patches
}

/**
 * Applies each hunk at the matching position that is nearest to the line number it states. Models often state wrong
 * line numbers.
 */
function applied(source: string, hunks: readonly Hunk[]): string | null {
  let lines = source.split('\n')
  if (hunks.length > MOST_HUNKS || lines.length > MOST_LINES) return null
  let shift = 0
  for (const { at, before, after } of hunks) {
    const trimmed = before.at(-1) === '' && after.at(-1) === '' ? -1 : undefined
    const from = nearest(lines, before.slice(0, trimmed), at + shift)
    if (from === -1) return null
    const [old, now] = [before.slice(0, trimmed), after.slice(0, trimmed)]
    lines = [...lines.slice(0, from), ...now, ...lines.slice(from + old.length)]
    shift += now.length - old.length
  }
  return lines.join('\n')
}

function nearest(lines: readonly string[], wanted: readonly string[], at: number): number {
  const fits = (from: number): boolean =>
    wanted.every((line, index) => lines[from + index]?.trimEnd() === line.trimEnd())
  for (let distance = 0; distance <= Math.min(lines.length, MOST_DISTANCE); distance++)
    for (const from of [at - distance, at + distance])
      if (from >= 0 && from <= lines.length && fits(from)) return from
  return -1
}
