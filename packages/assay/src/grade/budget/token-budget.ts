/** Checks that the answer used no more tokens than allowed. */
import { z } from 'zod'
import type { Usage } from '@assay/contract'
import { gradeBudget } from './budget.ts'
import type { Grader } from '../grader.ts'
import { judgeUnknown } from './unknown.ts'

const options = z
  .strictObject({
    max: z
      .number()
      .min(0)
      .max(1e12)
      .describe('Tokens that are fine; beyond, the score falls to 0.'),
    of: z
      .enum(['all', 'input', 'output'])
      .default('all')
      .describe('Which tokens count: all, input (with cached ones), or output (with reasoning).'),
  })
  .describe('The answer took no more tokens than this.')

export const tokenBudget: Grader<z.infer<typeof options>> = {
  type: 'token-budget',
  summary: 'the answer took few enough tokens; beyond, the score falls evenly',
  options,
  grade(graded, { max, of }) {
    if (graded.usage === null)
      return judgeUnknown(
        'how many tokens the answer took',
        graded,
        /^a count of tokens .*does not count/u,
      )
    const unit = of === 'all' ? 'token' : `${of} token`
    return gradeBudget({
      value: count(graded.usage, of),
      max,
      shown: (n) => `${n} ${unit}${n === 1 ? '' : 's'}`,
    })
  },
}

function count(
  { input, cacheRead, cacheWrite, output }: Usage,
  of: 'all' | 'input' | 'output',
): number {
  const read = input + cacheRead + cacheWrite
  return of === 'all' ? read + output : of === 'input' ? read : output
}
