/**
 * The part of `report.json` that says which subject is better. It is optional, because reports of earlier versions do
 * not have it. `sentence` is the first line of every summary. It is made from the other fields.
 */
import { z } from 'zod'
import { count, figure, metricSchema, overlapSchema } from './metric-schema.ts'

export const togetherSchema = z
  .object({
    low: z.number(),
    high: z.number(),
    level: z.number().describe('of all these comparisons at once'),
    comparisons: count.describe('how many are counted together'),
    target: z.enum(['fixed', 'population']),
    decision: z
      .enum(['better', 'worse', 'not decided'])
      .describe('whether the simultaneous interval excludes zero, and on which side'),
  })
  .describe('a simultaneous interval: with this level, all intervals of the family hold at once')

const rivalSchema = z.object({
  subject: z.string(),
  shared: count.describe('cases on which both were scored'),
  groups: count
    .optional()
    .describe(
      'groups of these cases, where cases form groups; of independent groups the smaller number',
    ),
  compared: overlapSchema
    .optional()
    .describe('set where they share few cases: A is the best, B this one; absent: paired by case'),
  bestRate: figure.describe(
    'pass rate of the best subject on the shared cases; on all its cases as independent groups',
  ),
  rate: figure.describe('the same of this subject'),
  population: metricSchema.describe('the best less this one, for cases like these, in shares of 1'),
  fixed: metricSchema.describe('the same for exactly these cases, tried again'),
  together: togetherSchema.nullable().describe('null where there is no interval'),
  decision: z
    .enum(['worse', 'worse here', 'equal', 'not decided', 'not comparable'])
    .describe(
      'worse here: on exactly these cases, not decided for cases like these. equal: within the margin. not comparable: no case was shared; only in reports of earlier versions',
    ),
})

const neededSchema = z.object({
  trialsPerCase: count
    .nullable()
    .describe('more trials of each case with each of the subjects named'),
  cases: count.nullable().describe('or more cases like these'),
  groups: count.optional().describe('in this many more groups, where cases form groups'),
  subjects: z
    .array(z.string())
    .optional()
    .describe(
      'the best subject and each that is not decided; absent in reports of earlier versions',
    ),
  steady: z
    .boolean()
    .optional()
    .describe('true where all trials of a case had the same verdict, for each of these subjects'),
  trials: count.describe('how many more trials that is in all, with these subjects'),
  usd: figure.describe('what they would cost; null where prices are unknown'),
})

export const suiteHeadlineSchema = z.object({
  suite: z.string(),
  sentence: z.string(),
  verdict: z.enum(['better', 'better here', 'equal', 'not decided', 'one subject', 'nothing']),
  best: z.string().nullable(),
  alike: z.array(z.string()).describe('cannot be distinguished from the best'),
  order: z.array(z.string()).describe('the subjects by this result, the best first'),
  margin: z.number().describe('subjects that differ by less are called equal'),
  against: z.array(rivalSchema).describe('the best compared with each other subject, in order'),
  needed: neededSchema.nullable().describe('what would probably decide it'),
})

export const headlineSchema = z.object({
  sentence: z.string().describe('which subject is better, by how much, how sure, at what cost'),
  suites: z.array(suiteHeadlineSchema),
})

export type Headline = z.infer<typeof headlineSchema>
export type SuiteHeadline = z.infer<typeof suiteHeadlineSchema>
export type Rival = SuiteHeadline['against'][number]
