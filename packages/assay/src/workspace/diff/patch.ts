/**
 * Creates patches in unified diff format, for people to read. For two large texts with little in common, finding the
 * shortest patch could take very long. Such a change gets no patch.
 */
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'

const MOST_BYTES = 200_000
const MOST_MS = 300
/** The most added and removed lines of one patch. */
const MOST_EDITS = 10_000
/** The limits on time and bytes for all files of one workspace together. */
const MOST_MS_IN_ALL = 3000
const MOST_BYTES_IN_ALL = 8 * 1024 * 1024
const CONTEXT_LINES = 3

export interface Patcher {
  /** Returns the hunks of the patch. Returns null if the patch is too large to show. */
  patch(before: string, after: string): string | null
}

/** Returns a patcher for one workspace. It also limits the total time and size of all patches of this workspace. */
export function patcher(): Patcher {
  let msLeft = MOST_MS_IN_ALL
  let bytesLeft = MOST_BYTES_IN_ALL
  return {
    patch(before, after) {
      if (before.length + after.length > MOST_BYTES || msLeft <= 0 || bytesLeft <= 0) return null
      const began = performance.now()
      const found = structuredPatch('', '', before, after, undefined, undefined, {
        context: CONTEXT_LINES,
        maxEditLength: MOST_EDITS,
        timeout: Math.min(MOST_MS, msLeft),
      })
      msLeft -= performance.now() - began
      if (found === undefined) return null
      const text = formatPatch(found, OMIT_HEADERS)
      bytesLeft -= text.length
      return text
    },
  }
}
