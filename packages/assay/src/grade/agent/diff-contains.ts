/**
 * Checks for texts, or for a pattern, in the lines that the agent added or removed. The changed lines of some files
 * are unknown, for example those of binary files. If the text is not in the known lines and there are unknown lines,
 * the grader fails. It fails even with `negate`, because a forbidden text may be in the unknown lines.
 */
import { z } from 'zod'
import type { WorkspaceDiff } from '@assay/contract'
import { hasTexts, judgeContained, textsShape } from '../text/contained.ts'
import { pathSchema } from '../files/file-path.ts'
import { matchesGlob } from '../../text/index.ts'
import type { Grader } from '../grader.ts'
import {
  checkPatterns,
  flagsSchema,
  patternSchema,
  search,
  shownPattern,
} from '../regex/pattern.ts'
import { around, quoted } from '../shown.ts'
import { judgeNoDiff } from './acted.ts'
import { changedLines } from './diff-lines.ts'

const options = z
  .strictObject({
    ...textsShape('the changed lines'),
    pattern: patternSchema
      .optional()
      .describe(
        'A regular expression that must match in the changed lines, which are one text; with the flag m, ^ and $ are the ends of each.',
      ),
    flags: flagsSchema,
    path: pathSchema
      .optional()
      .describe('Only files at this path, or that fit this pattern: *, ? and **.'),
    in: z
      .enum(['added', 'removed', 'any'])
      .default('added')
      .describe('Which lines: those added, those removed, or both.'),
  })
  .refine((given) => hasTexts(given) || given.pattern !== undefined, 'value, all, any or pattern')
  .superRefine((given, context) => checkPatterns(given, ['pattern'], context))
  .describe('The added or removed lines contain a text or match a pattern.')

type Options = z.infer<typeof options>

export const diffContains: Grader<Options> = {
  type: 'diff-contains',
  summary: 'the lines that the agent added or removed contain a text or match a pattern',
  options,
  needs: 'diff',
  keepsDeadline: true,
  async grade(graded, { pattern, flags, path, in: side, ...wanted }, context) {
    if (graded.diff === null) return judgeNoDiff(graded)
    const { text, unseen } = linesIn(graded.diff, path, side)
    const where = `the ${side === 'any' ? 'changed' : side} lines${path === undefined ? '' : ` of ${quoted(path)}`}`
    const failed = (reason: string) => ({
      score: 0,
      passed: false,
      reason: unseen === 0 ? reason : `${reason}; ${unseen} changed files have no lines to look at`,
      evidence: around(text, 0),
      ...(unseen === 0 ? {} : { final: true as const }),
    })
    const found: string[] = []
    if (hasTexts(wanted)) {
      const { passed, reason = '' } = judgeContained(text, wanted)
      if (passed !== true) return failed(`${where}: ${reason}`)
      found.push(reason)
    }
    if (pattern !== undefined) {
      const shown = shownPattern({ pattern, flags })
      const match = await search(text, { pattern, flags }, context)
      if (match === null) return failed(`nothing in ${where} matches ${shown}`)
      found.push(`${quoted(text.slice(match.index, match.index + match.length))} matches ${shown}`)
    }
    return { score: 1, passed: true, reason: `${where}: ${found.join('; ')}` }
  },
}

function linesIn(
  { changes }: WorkspaceDiff,
  path: string | undefined,
  side: Options['in'],
): { text: string; unseen: number } {
  const lines: string[] = []
  let unseen = 0
  for (const change of changes) {
    if (path !== undefined && !matchesGlob(change.path, path)) continue
    const { added, removed } = changedLines(change)
    const sides = side === 'any' ? [removed, added] : [side === 'added' ? added : removed]
    if (sides.includes(null)) unseen++
    for (const part of sides) for (const line of part ?? []) lines.push(line)
  }
  return { text: lines.join('\n'), unseen }
}
