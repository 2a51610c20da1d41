/** What was changed, in a few words. */
import type { FileChange } from '../../contract.ts'
import { quoted } from '../shown.ts'

const MOST_NAMED = 5

export function shownChanges(changes: readonly FileChange[]): string {
  const named = changes
    .slice(0, MOST_NAMED)
    .map(({ change, path }) => `${change} ${quoted(path, 60)}`)
  const more = changes.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
