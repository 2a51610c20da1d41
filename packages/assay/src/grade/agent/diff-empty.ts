/** Checks that the agent left its workspace unchanged. */
import { z } from 'zod'
import type { Grader } from '../grader.ts'
import { judgeNoDiff } from './acted.ts'
import { shownChanges, touched } from './changed-paths.ts'

const options = z.strictObject({}).describe('Nothing in the workspace was changed.')

export const diffEmpty: Grader<z.infer<typeof options>> = {
  type: 'diff-empty',
  summary: 'the agent left its workspace as it was',
  options,
  needs: 'diff',
  grade(graded) {
    if (graded.diff === null) return judgeNoDiff(graded)
    const changes = touched(graded.diff)
    if (changes.length === 0) return { score: 1, passed: true, reason: 'nothing was changed' }
    return { score: 0, passed: false, reason: shownChanges(changes) }
  },
}
