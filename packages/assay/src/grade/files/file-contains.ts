/**
 * Checks that texts occur in a file of the answer or workspace. If the path is a pattern that matches several files,
 * one of these files must contain the texts.
 */
import { z } from 'zod'
import { hasTexts, judgeContained, textsShape } from '../text/contained.ts'
import { filesSchema } from './file-path.ts'
import { gradedFiles, pathsAt, shownFiles } from './graded-files.ts'
import type { Grader, GraderOutput } from '../grader.ts'
import { quoted } from '../shown.ts'

const options = z
  .strictObject({ path: filesSchema, ...textsShape('the file') })
  .refine(hasTexts, 'value, all or any')
  .describe('A file of the answer or workspace contains a text, all or any of several.')

export const fileContains: Grader<z.infer<typeof options>> = {
  type: 'file-contains',
  summary: 'a file of the answer or workspace contains a text, all or any of several',
  options,
  readsFiles: true,
  async grade(graded, { path, ...wanted }, { signal }) {
    const files = await gradedFiles(graded)
    const meant = pathsAt(files, path)
    if (meant.length === 0)
      return { score: 0, passed: false, reason: `no file ${quoted(path)}: ${shownFiles(files)}` }
    let first: GraderOutput | null = null
    for (const name of meant) {
      signal.throwIfAborted()
      const text = await files.read(name)
      const judged: GraderOutput =
        text === null
          ? { score: 0, passed: false, reason: 'is not text' }
          : judgeContained(text, wanted)
      const told = { ...judged, reason: `${quoted(name)} ${judged.reason ?? ''}` }
      if (judged.passed === true) return told
      first ??= told
    }
    const told = first ?? { score: 0, passed: false }
    if (meant.length === 1) return told
    return { ...told, reason: `none of ${meant.length} files fits; ${told.reason ?? ''}` }
  },
}
