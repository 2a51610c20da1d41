/**
 * Finds the valid name that is nearest to an invalid one, because the author of a suite probably meant that name. The
 * distance counts insertions, deletions, substitutions and swaps of neighbouring characters. It ignores upper and lower
 * case and the style of word breaks (max_tokens, maxTokens, max-tokens), because mistakes in them are the most
 * frequent.
 */
import { codePoints, editDistance } from './edit-distance.ts'

const MOST_LENGTH = 100

const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_\-\s.]/g, '')

/**
 * Returns the candidate nearest to `name`, or null if more than a third of its letters would have to change.
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
