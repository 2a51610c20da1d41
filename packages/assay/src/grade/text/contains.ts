/** Checks that texts occur anywhere in the answer. */
import { z } from 'zod'
import { hasTexts, judgeContained, textsShape } from './contained.ts'
import type { Grader } from '../grader.ts'

const options = z
  .strictObject(textsShape('the answer'))
  .refine(hasTexts, 'value, all or any')
  .describe('The answer contains a text, all or any of several.')

export const contains: Grader<z.infer<typeof options>> = {
  type: 'contains',
  summary: 'the answer contains a text, all or any of several',
  options,
  readsAnswer: true,
  grade: ({ answer }, given) => judgeContained(answer, given),
}
