/** Checks that the answer matches a regular expression. */
import { z } from 'zod'
import type { Grader, GraderOutput } from '../grader.ts'
import {
  checkPatterns,
  flagsSchema,
  patternSchema,
  search,
  shownPattern,
} from '../regex/pattern.ts'
import { around, placeOf, quoted } from '../shown.ts'
import type { Match } from '../regex/match-group.ts'

const options = z
  .strictObject({
    pattern: patternSchema.describe(
      'A regular expression of JavaScript, without slashes. It may match anywhere; ^ and $ tie it to the ends.',
    ),
    flags: flagsSchema,
  })
  .superRefine((given, context) => checkPatterns(given, ['pattern'], context))
  .describe('The answer matches a regular expression.')

type Options = z.infer<typeof options>

export const matches: Grader<Options> = {
  type: 'matches',
  summary: 'the answer matches a regular expression',
  options,
  readsAnswer: true,
  keepsDeadline: true,
  grade({ answer }, given, context) {
    const found = search(answer, given, context)
    return found instanceof Promise
      ? found.then((match) => judgeMatch(answer, given, match))
      : judgeMatch(answer, given, found)
  },
}

function judgeMatch(answer: string, given: Options, match: Match | null): GraderOutput {
  const shown = shownPattern(given)
  if (match === null)
    return {
      score: 0,
      passed: false,
      reason: `nothing matches ${shown}`,
      evidence: around(answer, 0),
    }
  const { index, length } = match
  // An empty match, such as the match of /^/, has no text to show.
  const found = length === 0 ? 'the answer' : quoted(answer.slice(index, index + length))
  return {
    score: 1,
    passed: true,
    reason: `${found} matches ${shown}${length === 0 ? '' : ` at ${placeOf(answer, index)}`}`,
  }
}
