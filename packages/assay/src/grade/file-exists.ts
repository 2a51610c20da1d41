/** The answer has a file, or one that fits a pattern. */
import { z } from 'zod'
import { answerFiles, filesAt, shownFiles } from './answer-files.ts'
import { filesSchema } from './file-path.ts'
import type { Grader } from './grader.ts'
import { quoted } from './shown.ts'

const options = z
  .strictObject({ path: filesSchema })
  .describe('The answer has a file at a path, or one that fits a pattern.')

export const fileExists: Grader<z.infer<typeof options>> = {
  type: 'file-exists',
  summary: 'the answer has a file at a path, or one that fits a pattern',
  options,
  grade(graded, { path }) {
    const files = answerFiles(graded)
    const [first] = filesAt(files, path)
    if (first === undefined)
      return { score: 0, passed: false, reason: `no file ${quoted(path)}: ${shownFiles(files)}` }
    return { score: 1, passed: true, reason: `has the file ${quoted(first[0])}` }
  },
}
