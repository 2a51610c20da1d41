/**
 * Checks that the agent ended by itself: its event stream is complete and its last step is not an error. An agent that
 * reached a limit, was killed or exited with an error has failed its trial before any grader runs. So if an answer
 * without a trajectory reaches this grader, nothing went wrong, and the answer passes.
 */
import { z } from 'zod'
import type { Grader } from '../grader.ts'
import { toldBy } from './acted.ts'
import { stepLine } from './step-lines.ts'

const options = z
  .strictObject({})
  .describe('The agent ended by itself, with its stream complete and no error at the end.')

export const completed: Grader<z.infer<typeof options>> = {
  type: 'completed',
  summary: 'the agent ended by itself, its stream complete, with no error at the end',
  options,
  grade(graded) {
    const trajectory = toldBy(graded)
    if (trajectory === null) return { score: 1, passed: true, reason: 'the answer came to its end' }
    if (!trajectory.complete)
      return { score: 0, passed: false, reason: 'the agent’s stream broke off before its end' }
    const told = trajectory.steps.filter(({ kind }) => kind !== 'other')
    // An agent may end with a final message after an error, so look at the step before the message.
    const isSaid = told.at(-1)?.kind === 'message' && told.length > 1
    const last = told.at(isSaid ? -2 : -1)
    if (last?.kind === 'error')
      return {
        score: 0,
        passed: false,
        reason: `the last step before its end is an ${stepLine(last, 120) ?? ''}`,
      }
    return { score: 1, passed: true, reason: 'the agent came to its own end' }
  },
}
