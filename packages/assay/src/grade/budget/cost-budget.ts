/** Checks that the answer cost no more than allowed. */
import { z } from 'zod'
import { gradeBudget } from './budget.ts'
import type { Grader } from '../grader.ts'
import { judgeUnknown } from './unknown.ts'

const options = z
  .strictObject({
    max: z
      .number()
      .min(0)
      .max(1e9)
      .describe('US dollars that are fine; beyond, the score falls to 0.'),
  })
  .describe('The answer cost no more than this.')

export const costBudget: Grader<z.infer<typeof options>> = {
  type: 'cost-budget',
  summary: 'the answer was cheap enough; beyond, the score falls evenly',
  options,
  grade(graded, { max }) {
    if (graded.usd === null)
      return judgeUnknown('what the answer cost', graded, /^a cost .*does not count/u)
    return gradeBudget({ value: graded.usd, max, shown: dollars })
  },
}

const dollars = (amount: number): string => `$${Number(amount.toPrecision(6))}`
