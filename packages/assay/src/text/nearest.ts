/**
 * The nearest valid name to one that is not: what the writer of a suite most likely meant. Distance counts
 * insertions, deletions, substitutions and swaps of neighbours, after case and the style of word breaks
 * (max_tokens, maxTokens, max-tokens) are set aside, as those are the most frequent slips.
 */
import { codePoints, editDistance } from './edit-distance.ts'

const MOST_LENGTH = 100

const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_\-\s.]/g, '')

/**
 * The candidate nearest to `name`, or null where none is near enough to be worth suggesting: more than a
 * third of its letters would have to change.
 *
 * @example nearest('promt', ['prompt', 'tests']) // 'prompt'
 */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  const wanted = plainName(name).slice(0, MOST_LENGTH)
  let best: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const other = plainName(candidate).slice(0, MOST_LENGTH)
    const most = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3))
    if (Math.abs(wanted.length - other.length) > most) continue
    const far = editDistance(codePoints(wanted), codePoints(other), true)
    if (far <= most && far < least) {
      best = candidate
      least = far
    }
  }
  return best
}
