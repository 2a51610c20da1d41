/**
 * Checks that the agent changed no more files, lines or bytes than allowed. Each limit is a budget, and the score is
 * the lowest of the budgets' scores. Added and removed lines count, as in git. A file that is not text has no lines.
 * If the patch of a text file is too large to show, all lines of the file count. The bytes are the sizes of the
 * changed files in their final state.
 */
import { z } from 'zod'
import type { FileChange, WorkspaceDiff } from '@assay/contract'
import { budgetScore } from '../budget/budget.ts'
import type { Grader } from '../grader.ts'
import { judgeNoDiff } from './acted.ts'
import { shownChanges, touched } from './changed-paths.ts'
import { counted } from './count.ts'
import { changedLines, linesOf } from './diff-lines.ts'

const most = z.int().min(0).max(1e12)

const options = z
  .strictObject({
    maxFiles: most.optional().describe('Most files that are added, changed or deleted.'),
    maxLines: most.optional().describe('Most lines that are added and removed, together.'),
    maxBytes: most.optional().describe('Most bytes of the changed files as they are now.'),
  })
  .refine(
    ({ maxFiles, maxLines, maxBytes }) =>
      maxFiles !== undefined || maxLines !== undefined || maxBytes !== undefined,
    'maxFiles, maxLines or maxBytes',
  )
  .describe('The agent changed no more files, lines or bytes than this.')

export const diffSize: Grader<z.infer<typeof options>> = {
  type: 'diff-size',
  summary: 'the agent changed few enough files, lines or bytes; beyond, the score falls',
  options,
  needs: 'diff',
  grade(graded, { maxFiles, maxLines, maxBytes }) {
    if (graded.diff === null) return judgeNoDiff(graded)
    const { files, lines, bytes } = sizeOf(graded.diff)
    const bounds = [
      { value: files, max: maxFiles, shown: counted('file') },
      { value: lines, max: maxLines, shown: counted('line') },
      { value: bytes, max: maxBytes, shown: counted('byte') },
    ].flatMap(({ max, ...bound }) => (max === undefined ? [] : [{ ...bound, max }]))
    const over = bounds.filter(({ value, max }) => value > max)
    const passed = over.length === 0
    const told = (passed ? bounds : over).map(
      ({ value, max, shown }) => `${shown(value)}, ${passed ? 'within' : 'over'} ${max}`,
    )
    return {
      score: Math.min(...bounds.map(({ value, max }) => budgetScore(value, max))),
      passed,
      reason: told.join('; '),
      ...(passed ? {} : { evidence: shownChanges(touched(graded.diff)) }),
      facts: { files, lines, bytes },
    }
  },
}

function sizeOf(diff: WorkspaceDiff): { files: number; lines: number; bytes: number } {
  let lines = 0
  let bytes = 0
  const changes = touched(diff)
  for (const change of changes) {
    lines += lineCount(change)
    bytes += byteCount(change)
  }
  return { files: changes.length, lines, bytes }
}

function lineCount(change: FileChange): number {
  const { added, removed } = changedLines(change)
  const now = added === null && change.text !== undefined ? linesOf(change.text) : added
  return (now?.length ?? 0) + (removed?.length ?? 0)
}

const byteCount = ({ text, base64 }: FileChange): number =>
  text === undefined ? Buffer.byteLength(base64 ?? '', 'base64') : Buffer.byteLength(text)
