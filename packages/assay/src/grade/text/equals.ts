/** Checks that the answer is exactly a given text. */
import { z } from 'zod'
import type { Grader } from '../grader.ts'
import { around, placeOf, quoted } from '../shown.ts'

const options = z
  .strictObject({
    value: z.string().describe('What the answer must be.'),
    trim: z
      .boolean()
      .default(true)
      .describe('Leave white space around the answer and the value out of account.'),
    ignoreCase: z.boolean().default(false).describe('Take upper and lower case as the same.'),
  })
  .describe('The answer is exactly this text.')

/**
 * If both texts have at most this many characters, the reason shows them in full. Longer texts are shown only from
 * their first difference.
 */
const WHOLE = 60

export const equals: Grader<z.infer<typeof options>> = {
  type: 'equals',
  summary: 'the answer is exactly a text',
  options,
  readsAnswer: true,
  grade({ answer }, { value, trim, ignoreCase }) {
    const found = trim ? answer.trim() : answer
    const expected = trim ? value.trim() : value
    const passed = ignoreCase ? found.toLowerCase() === expected.toLowerCase() : found === expected
    if (passed) return { score: 1, passed, reason: `is ${quoted(expected)}` }
    if (found.length <= WHOLE && expected.length <= WHOLE)
      return {
        score: 0,
        passed,
        reason: `expected ${quoted(expected)}, found ${quoted(found)}`,
      }
    const at = firstDifference(found, expected, ignoreCase)
    return {
      score: 0,
      passed,
      reason: `differs from what was expected at ${placeOf(found, at)}: expected ${from(expected, at)}, found ${from(found, at)}`,
      evidence: `expected: ${around(expected, at)}\nfound: ${around(found, at)}`,
    }
  },
}

/**
 * Returns the first index at which the texts differ. If one text is the beginning of the other, this is the
 * length of the shorter one.
 */
function firstDifference(a: string, b: string, ignoreCase: boolean): number {
  const most = Math.min(a.length, b.length)
  for (let i = 0; i < most; i++) {
    const [x, y] = [a[i] ?? '', b[i] ?? '']
    if (x !== y && !(ignoreCase && x.toLowerCase() === y.toLowerCase())) return i
  }
  return most
}

const from = (text: string, at: number): string =>
  at >= text.length ? 'its end' : quoted(text.slice(at, at + WHOLE), WHOLE / 2)
