/**
 * The part of `report.json` about judges: which models judged, how far they agree, and which of them judged
 * their own answers.
 */
import { z } from 'zod'
import { count, figure, metricSchema } from './metric-schema.ts'

export const judgesSchema = z.object({
  suite: z.string(),
  grader: z.string().describe('the judge grader’s name in the suite'),
  judges: z.array(
    z.object({
      judge: z.string(),
      n: count.describe('trials it judged'),
      meanScore: figure,
      passed: count.describe('trials whose score reaches the threshold'),
    }),
  ),
  agreement: z
    .object({
      alpha: metricSchema.describe(
        'Krippendorff’s alpha of the judges’ scores, interval scale; resampled over trials',
      ),
      kappa: z
        .array(z.object({ a: z.string(), b: z.string(), metric: metricSchema }))
        .describe('Cohen’s kappa of their verdicts at the threshold, each two judges'),
      criteria: z
        .array(z.object({ criterion: z.string(), alpha: metricSchema }))
        .describe('alpha of the marks for each criterion'),
    })
    .nullable()
    .describe('null where there is one judge'),
})

export const ownAnswersSchema = z
  .array(z.object({ judge: z.string(), subject: z.string() }))
  .describe('judges that are the same model or program as a subject they judged')

export type JudgesReport = z.infer<typeof judgesSchema>
export type OwnAnswers = z.infer<typeof ownAnswersSchema>
