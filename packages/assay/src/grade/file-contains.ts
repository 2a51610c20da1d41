/** Texts stand in a file of the answer; where a pattern means several files, in one of them. */
import { z } from 'zod'
import { answerFiles, filesAt, shownFiles } from './answer-files.ts'
import { hasTexts, judgeContained, textsShape } from './contained.ts'
import { filesSchema } from './file-path.ts'
import type { Grader } from './grader.ts'
import { quoted } from './shown.ts'

const options = z
  .strictObject({ path: filesSchema, ...textsShape('the file') })
  .refine(hasTexts, 'value, all or any')
  .describe('A file of the answer contains a text, all or any of several.')

export const fileContains: Grader<z.infer<typeof options>> = {
  type: 'file-contains',
  summary: 'a file of the answer contains a text, all or any of several',
  options,
  grade(graded, { path, ...wanted }) {
    const files = answerFiles(graded)
    const meant = filesAt(files, path)
    const judged = meant.map(([name, text]) => {
      const judgement = judgeContained(text, wanted)
      return { ...judgement, reason: `${quoted(name)} ${judgement.reason ?? ''}` }
    })
    const best = judged.find(({ passed }) => passed === true) ?? judged[0]
    if (best === undefined)
      return { score: 0, passed: false, reason: `no file ${quoted(path)}: ${shownFiles(files)}` }
    if (best.passed === true || judged.length === 1) return best
    return { ...best, reason: `none of ${judged.length} files fits; ${best.reason}` }
  },
}
