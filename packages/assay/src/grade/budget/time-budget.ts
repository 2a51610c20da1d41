/** Checks that the answer took no more time than allowed. */
import { z } from 'zod'
import { parseGraderDuration } from '@assay/contract'
import { timeSchema } from '@assay/code'
import { gradeBudget } from './budget.ts'
import type { Grader } from '../grader.ts'
import { judgeUnknown } from './unknown.ts'

const options = z
  .strictObject({
    max: timeSchema.describe(
      'Time that is fine, such as "30s"; beyond, the score falls to 0, counted in seconds.',
    ),
  })
  .describe('The answer took no more time than this.')

export const timeBudget: Grader<z.infer<typeof options>> = {
  type: 'time-budget',
  summary: 'the answer came soon enough; beyond, the score falls evenly',
  options,
  grade(graded, { max }) {
    if (graded.answerMs === null) return judgeUnknown('how long the answer took', graded)
    const value = graded.answerMs / 1000
    return gradeBudget({
      value,
      max: (parseGraderDuration(max) ?? Number.NaN) / 1000,
      shown: seconds,
    })
  },
}

const seconds = (amount: number): string => `${Number(amount.toFixed(3))} s`
