/** Checks that the agent took no more turns than allowed. A turn is one answered request of the agent to its model. */
import { z } from 'zod'
import type { Grader } from '../grader.ts'
import { actedIn, judgeLossy, judgeUntold } from './acted.ts'
import { A_BOUND, A_RANGE, counted, countShape, hasBound, isRange, judgeCount } from './count.ts'

const options = z
  .strictObject(countShape('Turns'))
  .refine(hasBound, A_BOUND)
  .refine(isRange, A_RANGE)
  .describe('The agent took no more turns than this: requests to its model that were answered.')

export const turnCount: Grader<z.infer<typeof options>> = {
  type: 'turn-count',
  summary: 'the agent took few enough turns; beyond, the score falls evenly',
  options,
  needs: 'trajectory',
  grade(graded, range) {
    const trajectory = actedIn(graded)
    if (trajectory === null) return judgeUntold(graded)
    if (trajectory.lossy === true && range.max !== undefined) return judgeLossy()
    return judgeCount(trajectory.turns, range, counted('turn'))
  },
}
