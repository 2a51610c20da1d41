/** Schemas for figures in `report.json`: a plain figure, a count, and a figure with its uncertainty. */
import { z } from 'zod'

export const count = z.int().min(0)
export const figure = z.number().nullable()

export const metricSchema = z
  .object({
    value: figure.describe('null where there is none, with the reason, and where it is infinite'),
    infinite: z.literal(true).optional(),
    reason: z.string().optional(),
    n: count.describe('members the figure is taken over: cases, for figures of a suite'),
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
