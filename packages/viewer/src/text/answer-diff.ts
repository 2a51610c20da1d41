/** The difference between two answers: by words for prose, by lines for code. */
import { diffLines, diffWordsWithSpace } from 'diff'

export interface DiffPart {
  readonly text: string
  readonly kind: 'same' | 'added' | 'removed'
}

/** A comparison that takes longer than this is given up, because an answer may be made to take forever. */
const DEADLINE_MS = 200

/** Prose that shares less than this is read more easily as two whole texts than as one text with marks. */
const LEAST_SHARED = 0.5

/** Returns null if the texts are too different: for the time that there is, or to be read as one text. */
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

/** The share of the longer text that the other one has too. Spaces do not count. */
function sharedPart(parts: readonly DiffPart[]): number {
  const size = (kind: DiffPart['kind']): number =>
    parts.reduce(
      (sum, part) => (part.kind === kind ? sum + part.text.replaceAll(/\s/gu, '').length : sum),
      0,
    )
  const longer = Math.max(size('added'), size('removed'))
  return longer === 0 ? 1 : size('same') / (size('same') + longer)
}

/** Joins changed words that only spaces separate, so that a changed phrase is read in one piece. */
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
