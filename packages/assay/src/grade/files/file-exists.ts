/** Checks that the answer or the workspace has a file at a path, or a file that matches a pattern. */
import { z } from 'zod'
import { filesSchema } from './file-path.ts'
import { gradedFiles, pathsAt, shownFiles } from './graded-files.ts'
import type { Grader } from '../grader.ts'
import { quoted } from '../shown.ts'

const options = z
  .strictObject({ path: filesSchema })
  .describe('The answer, or the workspace, has a file at a path, or one that fits a pattern.')

export const fileExists: Grader<z.infer<typeof options>> = {
  type: 'file-exists',
  summary: 'the answer or workspace has a file at a path, or one that fits a pattern',
  options,
  readsFiles: true,
  async grade(graded, { path }) {
    const files = await gradedFiles(graded)
    const there = pathsAt(files, path)
    const links = new Set(
      graded.diff?.changes.flatMap((one) => (one.mode === '120000' ? [one.path] : [])),
    )
    let first: string | undefined
    for (const one of there)
      if (!links.has(one) || (await files.read(one)) !== null) {
        first = one
        break
      }
    if (first === undefined && there[0] !== undefined)
      return {
        score: 0,
        passed: false,
        reason: `${quoted(there[0])} is a link that leads to no text in the workspace`,
      }
    if (first === undefined)
      return { score: 0, passed: false, reason: `no file ${quoted(path)}: ${shownFiles(files)}` }
    return { score: 1, passed: true, reason: `has the file ${quoted(first)}` }
  },
}
