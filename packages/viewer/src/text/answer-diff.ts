/** Computes the difference between two answers: by words for prose, by lines for code. */
import { diffLines, diffWordsWithSpace } from 'diff'

export interface DiffPart {
  readonly text: string
  readonly kind: 'same' | 'added' | 'removed'
}

/** The time limit for one comparison. Without it, an answer could be written so that the comparison never ends. */
const DEADLINE_MS = 200

/**
 * The lowest share of common text with which the difference of prose is shown. Below it, two whole texts are easier
 * to read than one text with marks.
 */
const LEAST_SHARED = 0.5

/**
 * Returns the parts of the difference. Null if the comparison takes too long, or if the texts have too little in
 * common.
 */
export function answerDiff(base: string, text: string, isCode: boolean): DiffPart[] | null {
  const options = { timeout: DEADLINE_MS }
  const found = isCode ? diffLines(base, text, options) : diffWordsWithSpace(base, text, options)
  if (found === undefined) return null
  const parts = found.map(({ value, added, removed }): DiffPart => ({
    text: value,
    kind: added ? 'added' : removed ? 'removed' : 'same',
  }))
  if (isCode) return parts
  return sharedPart(parts) < LEAST_SHARED ? null : joined(parts)
}

/** Returns the share of the text that both have, relative to the longer text. Spaces do not count. */
function sharedPart(parts: readonly DiffPart[]): number {
  const size = (kind: DiffPart['kind']): number =>
    parts.reduce(
      (sum, part) => (part.kind === kind ? sum + part.text.replaceAll(/\s/gu, '').length : sum),
      0,
    )
  const longer = Math.max(size('added'), size('removed'))
  return longer === 0 ? 1 : size('same') / (size('same') + longer)
}

/** Joins changed words that are separated only by spaces, so that a changed phrase is one piece. */
function joined(parts: readonly DiffPart[]): DiffPart[] {
  const out: DiffPart[] = []
  let [removed, added] = ['', '']
  const flush = (): void => {
    if (removed !== '') out.push({ text: removed, kind: 'removed' })
    if (added !== '') out.push({ text: added, kind: 'added' })
    removed = added = ''
  }
  for (const [i, { text, kind }] of parts.entries()) {
    const isBetween =
      kind === 'same' &&
      /^\s+$/u.test(text) &&
      removed !== '' &&
      added !== '' &&
      (parts[i + 1]?.kind ?? 'same') !== 'same'
    if (kind === 'removed' || isBetween) removed += text
    if (kind === 'added' || isBetween) added += text
    if (kind !== 'same' || isBetween) continue
    flush()
    out.push({ text, kind })
  }
  flush()
  return out
}
