/** Checks which skills the agent used. It must use all required skills and no forbidden skill. */
import { z } from 'zod'
import { matchesName } from '../../text/index.ts'
import type { Grader } from '../grader.ts'
import { actedIn, claimNote, isClaimed, judgeLossy, judgeUntold, tornNote } from './acted.ts'
import { judgeChecks } from './checks.ts'
import { shownName } from './step-lines.ts'

const names = z.array(z.string().min(1).max(500)).min(1).max(100)

const options = z
  .strictObject({
    expected: names
      .optional()
      .describe('Skills that must be used: names, exact or with * and ? as in a pattern.'),
    disallowed: names.optional().describe('Skills that must not be used.'),
  })
  .refine(
    ({ expected, disallowed }) => expected !== undefined || disallowed !== undefined,
    'one of the options expected and disallowed',
  )
  .describe('The agent used the skills it had to, and none it must not.')

export const skillInvocation: Grader<z.infer<typeof options>> = {
  type: 'skill-invocation',
  summary: 'the agent used the skills it had to, and none it must not',
  options,
  needs: 'trajectory',
  grade(graded, { expected = [], disallowed = [] }) {
    const trajectory = actedIn(graded)
    if (trajectory === null) return judgeUntold(graded)
    const used = new Set(
      trajectory.steps.flatMap((step) =>
        step.kind === 'skill' && !isClaimed(step) ? [step.name] : [],
      ),
    )
    const isUsed = (wanted: string): boolean => [...used].some((name) => matchesName(name, wanted))
    const says = (wanted: string): string =>
      `${isUsed(wanted) ? 'used' : 'did not use'} the skill ${shownName(wanted)}`
    const judged = judgeChecks([
      ...expected.map((name) => ({ holds: isUsed(name), says: says(name) })),
      ...disallowed.map((name) => ({ holds: !isUsed(name), says: says(name) })),
    ])
    if (trajectory.lossy === true && judged.passed === true && disallowed.length > 0)
      return judgeLossy()
    return {
      ...judged,
      reason: `${judged.reason ?? ''}${claimNote(trajectory, 'skill')}${tornNote(trajectory)}`,
      facts: { skills: [...used].slice(0, 100).map(shownName) },
    }
  },
}
