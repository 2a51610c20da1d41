/** The part of `report.json` about classifications: what the graders of type `label` found over a suite. */
import { z } from 'zod'
import { count, metricSchema } from './metric-schema.ts'

const averagesSchema = z.object({
  precision: metricSchema,
  recall: metricSchema,
  f1: metricSchema,
})

export const classificationSchema = z.object({
  suite: z.string(),
  subject: z.string(),
  grader: z.string().describe('the label grader’s name in the suite'),
  trials: count.describe('scored trials, each of which counts'),
  classes: z.array(
    z.object({
      name: z.string(),
      expected: count.describe('trials in which the class was right'),
      predicted: count.describe('trials in which the class was answered'),
      correct: count.describe('trials in which both hold'),
      precision: metricSchema,
      recall: metricSchema,
      f1: metricSchema,
    }),
  ),
  confusion: z
    .array(z.array(count))
    .describe(
      'a row for each expected class, a column for each answered one in the order of classes, and a last column for answers without a label',
    ),
  accuracy: metricSchema,
  macro: averagesSchema.describe('means over classes'),
  micro: averagesSchema.describe('over all trials, whatever their class'),
})

export type ClassificationReport = z.infer<typeof classificationSchema>
