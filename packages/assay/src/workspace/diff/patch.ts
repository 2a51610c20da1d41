/**
 * Changes in unified form, for people. Finding the shortest one can take very long for two large texts that
 * have little in common; such a change goes without.
 */
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'

const MOST_BYTES = 200_000
const MOST_MS = 300
/** Lines that are added or removed. */
const MOST_EDITS = 10_000
/** For all files of one workspace. */
const MOST_MS_IN_ALL = 3000
const MOST_BYTES_IN_ALL = 8 * 1024 * 1024
const CONTEXT_LINES = 3

export interface Patcher {
  /** The hunks; null where it is too large to show. */
  patch(before: string, after: string): string | null
}

/** One for each workspace: what all of its patches may take is bounded too. */
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
