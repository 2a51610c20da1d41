/**
 * The part of `report.json` with figures by tag, by group or by any key of the cases' metadata. It is present only if
 * the user asked for it (`--by`).
 */
import { z } from 'zod'
import { count, metricSchema } from './metric-schema.ts'

const breakdownRowSchema = z.object({
  value: z.string().describe('of the key, as text'),
  suite: z.string(),
  subject: z.string(),
  cases: count.describe('scored cases that have this value'),
  passed: count,
  scored: count.describe('trials'),
  passRate: metricSchema.describe('for cases like these'),
  meanScore: metricSchema.describe('for cases like these'),
  costPerPass: metricSchema.describe('total cost over total passes'),
  fixed: z.object({ passRate: metricSchema, meanScore: metricSchema }),
})

export const breakdownSchema = z.object({
  key: z.string().describe('tag, group, or a key of the cases’ metadata'),
  rows: z.array(breakdownRowSchema).describe('by value, suite and subject'),
  without: count.describe('cases that do not have the key; they are in no row'),
  several: count.describe('cases with more than one value; they are in the row of each'),
  notes: z.array(z.string()),
})

export type Breakdown = z.infer<typeof breakdownSchema>
export type BreakdownRow = z.infer<typeof breakdownRowSchema>
