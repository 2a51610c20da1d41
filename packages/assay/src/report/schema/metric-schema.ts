/** Schemas for numbers in `report.json`: a plain figure, a count, and a figure with its uncertainty. */
import { z } from 'zod'

export const count = z.int().min(0)
export const figure = z.number().nullable()

export const metricSchema = z
  .object({
    value: figure.describe('null where there is none, with the reason, and where it is infinite'),
    infinite: z.literal(true).optional(),
    reason: z.string().optional(),
    n: count.describe('members the figure is taken over: cases, for figures of a suite'),
    groups: count
      .optional()
      .describe('groups of similar cases that they come in, if any do; cases like these: the unit'),
    se: z.number().optional().describe('standard error for the target of the interval'),
    effectiveN: z
      .number()
      .optional()
      .describe('how many independent observations the value is worth'),
    p: z
      .number()
      .optional()
      .describe(
        'of a difference: that of the interval, one minus the largest level that excludes zero',
      ),
    interval: z
      .object({
        low: z.number(),
        high: figure.describe('null where it has no upper end'),
        level: z.number(),
        method: z.string(),
        target: z
          .enum(['fixed', 'population'])
          .describe('population: cases like these. fixed: exactly these cases, tried again'),
      })
      .optional(),
  })
  .meta({ id: 'metric' })

export type ReportMetric = z.infer<typeof metricSchema>

export const overlapSchema = z.object({
  as: z
    .enum(['paired', 'independent'])
    .describe('paired by case, or as independent groups where few cases are shared'),
  shared: count.describe('cases that both were scored on'),
  onlyA: count.describe('cases of A alone, which is the baseline of tiers'),
  onlyB: count.describe('cases of B alone'),
})
