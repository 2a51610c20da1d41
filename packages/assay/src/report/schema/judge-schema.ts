/**
 * The part of `report.json` about judges: which models judged, how far they agree with each other, and which of them
 * graded their own answers.
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
      runs: count.optional().describe('its runs over all trials, where it had several'),
      askedAgain: count
        .optional()
        .describe('trials for which its runs disagreed and it was asked again'),
      disagree: count.optional().describe('trials for which its runs disagree at the end'),
      unstated: count.optional().describe('of these runs, those that state no confidence'),
    }),
  ),
  agreement: z
    .object({
      alpha: metricSchema.describe(
        'Krippendorff’s alpha of the judges’ scores, interval scale; resampled over cases, or over their groups',
      ),
      kappa: z
        .array(z.object({ a: z.string(), b: z.string(), metric: metricSchema }))
        .describe('Cohen’s kappa of their verdicts at the threshold, each two judges'),
      withOthers: z
        .array(z.object({ judge: z.string(), alpha: metricSchema }))
        .optional()
        .describe('alpha of each judge’s scores with the mean scores of the other judges'),
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
