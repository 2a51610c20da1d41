/**
 * The part of `report.json` about gates. It is present only if the user asked for gates. Gates belong to the command
 * that made the report, not to the run.
 */
import { z } from 'zod'
import { BOUND_METRICS } from '../gates/names.ts'
import { count, figure } from './metric-schema.ts'

const neededSchema = z
  .object({
    trialsPerCase: figure.describe(
      'more trials of each case; null if more trials cannot decide it',
    ),
    cases: figure.describe('or more cases like these; null if that is not what is missing'),
    groups: count.optional().describe('in this many more groups, if cases form groups'),
    trials: figure.describe('how many more trials that is in all'),
    usd: figure.describe('what they would cost; null if prices are unknown'),
  })
  .describe('what would probably decide it, if the value stays as it is (power 80 %)')

const gateResultSchema = z.object({
  metric: z.enum(BOUND_METRICS),
  k: figure.describe('of pass@k and pass^k'),
  kind: z.enum(['min', 'max']),
  limit: z.number(),
  suite: z.string(),
  subject: z.string(),
  tag: z.string().nullable().describe('only cases with this tag; null: all cases'),
  case: z.string().nullable().describe('only this case; null: all cases'),
  status: z.enum(['held', 'failed', 'undecided']),
  value: figure,
  infinite: z.literal(true).optional(),
  interval: z.object({ low: z.number(), high: figure }).nullable(),
  level: z.number(),
  target: z.enum(['fixed', 'population']).describe('what the interval is about'),
  cases: count,
  trials: count.describe('scored trials of these cases'),
  p: figure.describe('two-sided, of the hypothesis that the true value is the bound'),
  adjustedP: figure.describe('after Holm, over all gates'),
  reason: z.string().describe('why it holds, fails or is not decided'),
  needed: neededSchema.nullable(),
})

const skillVerdictSchema = z.object({
  suite: z.string(),
  subject: z.string(),
  passed: z.boolean().nullable().describe('null: no stimulus was scored'),
  score: figure,
  threshold: figure.describe('null: every scored trial must pass'),
  missing: count.describe('stimuli that have graders, and no scored trial'),
})

export const gatesSchema = z.object({
  results: z.array(gateResultSchema),
  skills: z.array(skillVerdictSchema).describe('with --require-pass: the verdict on each skill'),
  strict: z.boolean().describe('whether a gate that is not decided fails'),
  outcome: z.object({
    code: z.union([z.literal(0), z.literal(1), z.literal(3)]).describe('the exit code'),
    failures: z.array(z.string()),
  }),
})

export type GateNeeded = z.infer<typeof neededSchema>
export type BoundResult = z.infer<typeof gateResultSchema>
export type SkillVerdict = z.infer<typeof skillVerdictSchema>
export type GatesReport = z.infer<typeof gatesSchema>
