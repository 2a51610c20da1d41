/**
 * Checks that the agent had no more errors than allowed. The errors in the agent's event stream count. Failed tool
 * calls count too, if the options say so.
 */
import { z } from 'zod'
import type { Grader } from '../grader.ts'
import { isClaimed, judgeLossy, judgeUntold, toldBy } from './acted.ts'
import { A_BOUND, A_RANGE, counted, countShape, hasBound, isRange, judgeCount } from './count.ts'

const options = z
  .strictObject({
    ...countShape('Errors'),
    toolCalls: z
      .boolean()
      .default(false)
      .describe(
        'Tool calls that failed count too. Off, because a test that fails on the way is not an error.',
      ),
  })
  .refine(hasBound, A_BOUND)
  .refine(isRange, A_RANGE)
  .describe('The agent met no more errors than this.')

export const errorCount: Grader<z.infer<typeof options>> = {
  type: 'error-count',
  summary: 'the agent met few enough errors; beyond, the score falls evenly',
  options,
  needs: 'trajectory',
  grade(graded, { toolCalls, ...range }) {
    const trajectory = toldBy(graded)
    if (trajectory === null) return judgeUntold(graded)
    if (trajectory.lossy === true && range.max !== undefined) return judgeLossy()
    const errors = trajectory.steps.filter(
      (step) =>
        step.kind === 'error' ||
        (toolCalls && step.kind === 'tool-call' && step.failed && !isClaimed(step)),
    )
    return judgeCount(errors.length, range, counted('error'))
  },
}
