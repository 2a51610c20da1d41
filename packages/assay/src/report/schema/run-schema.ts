/**
 * The figures of single runs (trials), as the metrics-formulas specification defines them, and the times of their
 * parts.
 */
import { z } from 'zod'
import { count, figure } from './metric-schema.ts'

export const runSchema = z
  .object({
    index: count,
    pass_rate: z.number().describe('1 if it passed, else 0'),
    impl_rate: figure,
    cost_usd: figure,
    duration_seconds: figure.describe('end minus start'),
    answer_seconds: figure,
    wait_seconds: figure.describe('waiting for the provider, as for rate limits'),
    grade_seconds: figure,
    cost_of_pass: figure.describe('null where the cost is unknown, and where it is infinite'),
    composite: figure,
    infinite: z.array(z.string()).optional().describe('the fields above that are infinite'),
  })
  .meta({ id: 'run' })

export type RunFigures = z.infer<typeof runSchema>
