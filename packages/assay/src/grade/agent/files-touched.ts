/**
 * Checks that the agent changed only files that it may change. The score is the fraction of changed files that are
 * allowed.
 */
import { z } from 'zod'
import { patternSchema } from '../files/file-path.ts'
import { matchesGlob } from '../../text/index.ts'
import type { Grader } from '../grader.ts'
import { judgeNoDiff } from './acted.ts'
import { shownChanges, touched } from './changed-paths.ts'
import { counted } from './count.ts'

const patterns = z.array(patternSchema).min(1).max(1000)

const options = z
  .strictObject({
    allow: patterns
      .optional()
      .describe(
        'Paths or patterns (*, ? and **) of which each changed file must fit one; a folder means everything in it. All files unless given.',
      ),
    disallow: patterns.optional().describe('Paths or patterns that no changed file may fit.'),
  })
  .refine(
    ({ allow, disallow }) => allow !== undefined || disallow !== undefined,
    'allow or disallow',
  )
  .describe('Every file that was added, changed or deleted is one of those that may be.')

export const filesTouched: Grader<z.infer<typeof options>> = {
  type: 'files-touched',
  summary: 'the agent changed only files that it may',
  options,
  needs: 'diff',
  grade(graded, { allow, disallow = [] }) {
    if (graded.diff === null) return judgeNoDiff(graded)
    const changes = touched(graded.diff)
    const isFine = ({ path }: { readonly path: string }): boolean =>
      (allow === undefined || (fitsOne(path, allow) && !isFolderOf(path, allow))) &&
      !fitsOne(path, disallow)
    const wrong = changes.filter((change) => !isFine(change))
    const changed = counted('changed file')
    if (wrong.length === 0)
      return { score: 1, passed: true, reason: `${changed(changes.length)}, all of them allowed` }
    return {
      score: (changes.length - wrong.length) / changes.length,
      passed: false,
      reason: `${wrong.length} of ${changed(changes.length)} may not be: ${shownChanges(wrong)}`,
    }
  },
}

/** Whether one of the patterns matches the path or one of its parent folders. */
function fitsOne(path: string, wanted: readonly string[]): boolean {
  const steps = path.split('/')
  return steps.some((_, i) => {
    const upTo = steps.slice(0, i + 1).join('/')
    return wanted.some((pattern) => matchesGlob(upTo, pattern.replace(/\/$/, '')))
  })
}

/**
 * Whether the patterns allow only the content of the folder at this path (`folder/**`) and not the folder itself. A
 * folder is a changed path only if something else, such as a link, has replaced it.
 */
const isFolderOf = (path: string, wanted: readonly string[]): boolean => {
  const within = (pattern: string): boolean =>
    pattern.endsWith('/**') && matchesGlob(path, pattern.slice(0, -'/**'.length))
  return wanted.every((pattern) => within(pattern) || !fitsOne(path, [pattern]))
}
