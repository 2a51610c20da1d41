/** A file of the answer matches a regular expression; where a pattern means several files, one of them. */
import { z } from 'zod'
import { answerFiles, filesAt, shownFiles } from './answer-files.ts'
import { filesSchema } from './file-path.ts'
import type { Grader } from './grader.ts'
import { checkPatterns, flagsSchema, patternSchema, search, shownPattern } from './pattern.ts'
import { around, placeOf, quoted } from './shown.ts'

const options = z
  .strictObject({
    path: filesSchema,
    pattern: patternSchema.describe(
      'A regular expression of JavaScript, without slashes. It may match anywhere; ^ and $ tie it to the ends.',
    ),
    flags: flagsSchema,
  })
  .superRefine((given, context) => checkPatterns(given, ['pattern'], context))
  .describe('A file of the answer matches a regular expression.')

export const fileMatches: Grader<z.infer<typeof options>> = {
  type: 'file-matches',
  summary: 'a file of the answer matches a regular expression',
  options,
  keepsDeadline: true,
  async grade(graded, { path, ...pattern }, context) {
    const files = answerFiles(graded)
    const meant = filesAt(files, path)
    const [first] = meant
    if (first === undefined)
      return { score: 0, passed: false, reason: `no file ${quoted(path)}: ${shownFiles(files)}` }
    const shown = shownPattern(pattern)
    // All files share one deadline, however many the answer has.
    const until = performance.now() + context.timeoutMs
    for (const [name, text] of meant) {
      const timeoutMs = Math.max(1, until - performance.now())
      const match = await search(text, pattern, { signal: context.signal, timeoutMs })
      if (match === null) continue
      const { index, length } = match
      const found = length === 0 ? '' : `${quoted(text.slice(index, index + length))} in `
      const place = length === 0 ? '' : ` at ${placeOf(text, index)}`
      return { score: 1, passed: true, reason: `${found}${quoted(name)} matches ${shown}${place}` }
    }
    const where = meant.length === 1 ? quoted(first[0]) : `${meant.length} files`
    return {
      score: 0,
      passed: false,
      reason: `nothing in ${where} matches ${shown}`,
      evidence: around(first[1], 0),
    }
  },
}
