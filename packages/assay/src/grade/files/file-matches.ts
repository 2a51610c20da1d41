/**
 * Checks that a file of the answer or workspace matches a regular expression. If the path is a glob pattern that
 * matches several files, one of these files must match.
 */
import { z } from 'zod'
import { filesSchema } from './file-path.ts'
import { gradedFiles, pathsAt, shownFiles } from './graded-files.ts'
import type { Grader } from '../grader.ts'
import {
  checkPatterns,
  flagsSchema,
  oneDeadline,
  patternSchema,
  search,
  shownPattern,
} from '../regex/pattern.ts'
import { around, placeOf, quoted } from '../shown.ts'

const options = z
  .strictObject({
    path: filesSchema,
    pattern: patternSchema.describe(
      'A regular expression of JavaScript, without slashes. It may match anywhere; ^ and $ tie it to the ends.',
    ),
    flags: flagsSchema,
  })
  .superRefine((given, context) => checkPatterns(given, ['pattern'], context))
  .describe('A file of the answer or workspace matches a regular expression.')

export const fileMatches: Grader<z.infer<typeof options>> = {
  type: 'file-matches',
  summary: 'a file of the answer or workspace matches a regular expression',
  options,
  readsFiles: true,
  keepsDeadline: true,
  async grade(graded, { path, ...pattern }, context) {
    const files = await gradedFiles(graded)
    const meant = pathsAt(files, path)
    const [first] = meant
    if (first === undefined)
      return { score: 0, passed: false, reason: `no file ${quoted(path)}: ${shownFiles(files)}` }
    const shown = shownPattern(pattern)
    // All files share one deadline. Otherwise the time limit would be multiplied by the number of files.
    const deadline = oneDeadline(context)
    let beginning: string | null = null
    for (const name of meant) {
      context.signal.throwIfAborted()
      const text = await files.read(name)
      if (text === null) continue
      beginning ??= around(text, 0)
      const match = await search(text, pattern, deadline())
      if (match === null) continue
      const { index, length } = match
      const found = length === 0 ? '' : `${quoted(text.slice(index, index + length))} in `
      const place = length === 0 ? '' : ` at ${placeOf(text, index)}`
      return { score: 1, passed: true, reason: `${found}${quoted(name)} matches ${shown}${place}` }
    }
    const where = meant.length === 1 ? quoted(first) : `${meant.length} files`
    return {
      score: 0,
      passed: false,
      reason: `nothing in ${where} matches ${shown}`,
      ...(beginning === null ? {} : { evidence: beginning }),
    }
  },
}
