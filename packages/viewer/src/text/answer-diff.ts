/** The difference between two answers: by words for prose, by lines for code. */
import { diffLines, diffWordsWithSpace } from 'diff'

export interface DiffPart {
  readonly text: string
  readonly kind: 'same' | 'added' | 'removed'
}

/** A comparison that takes longer than this is given up, because an answer may be made to take forever. */
const DEADLINE_MS = 200

/** Returns null if the texts are too different to be compared in time. */
export function answerDiff(base: string, text: string, isCode: boolean): DiffPart[] | null {
  const options = { timeout: DEADLINE_MS }
  const parts = isCode ? diffLines(base, text, options) : diffWordsWithSpace(base, text, options)
  return (
    parts?.map(({ value, added, removed }) => ({
      text: value,
      kind: added ? 'added' : removed ? 'removed' : 'same',
    })) ?? null
  )
}
