/** The options of a judge: which models, by which rubric, and how several opinions are combined. */
import { z } from 'zod'
import { PRESETS, repeatedId, resolveRubric, rubricSchema, type Criterion } from './rubric.ts'

/**
 * Matches subjects that start programs or replay runs. A suite is data: it may name a model or a subject that the
 * user described, never a program.
 */
const SCHEME = /^\s*(?:command|command\+json|agent|replay|simulated)(?::|\s*$)/

const judgeSchema = z
  .string()
  .min(1)
  .max(200)
  .refine(
    (name) => !SCHEME.test(name),
    'a model as provider/model, or a subject that assay.toml names; other judges are the user’s to name, with --judge',
  )

export const AGGREGATES = ['mean', 'median', 'majority'] as const

export type Aggregate = (typeof AGGREGATES)[number]

const given = z
  .strictObject({
    judges: z
      .array(judgeSchema)
      .max(20)
      .default([])
      .describe(
        'Who judges: provider/model, or names from assay.toml. --judge, and judges in assay.toml, win over it.',
      ),
    rubric: rubricSchema
      .optional()
      .describe('The criteria: sentences that are met or not, or tables. Either this or preset.'),
    preset: z
      .enum(Object.keys(PRESETS) as [keyof typeof PRESETS])
      .optional()
      .describe('A rubric that comes with Assay: quality has ten categories of good code.'),
    instructions: z
      .string()
      .max(20_000)
      .default('')
      .describe('What the judge should know beside the rubric.'),
    reference: z
      .boolean()
      .default(false)
      .describe('Show the judge the case’s reference as an example of a good answer.'),
    aggregate: z
      .enum(AGGREGATES)
      .default('mean')
      .describe(
        'Of several judges: the mean or the median of their scores; majority: the share of judges whose score reaches the threshold, of which more than half must.',
      ),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe('From 0 to 1: the score that passes where no other grader decides.'),
    attempts: z
      .int()
      .min(1)
      .max(10)
      .default(3)
      .describe('How often a judge is asked when its replies are not valid.'),
    mostChars: z
      .int()
      .min(1000)
      .max(4_000_000)
      .default(100_000)
      .describe('Of a longer answer the judge sees the beginning and the end, and is told so.'),
  })
  .refine(({ rubric, preset }) => (rubric === undefined) !== (preset === undefined), {
    error: 'either rubric or preset',
  })

/** The resolved options. They contain the whole rubric, so that the case's hash covers everything that was asked. */
export interface JudgeOptions {
  readonly judges: readonly string[]
  readonly rubric: readonly Criterion[]
  readonly instructions: string
  readonly reference: boolean
  readonly aggregate: Aggregate
  readonly threshold: number
  readonly attempts: number
  readonly mostChars: number
}

export const judgeOptions: z.ZodType<JudgeOptions> = given
  .superRefine(({ judges, rubric }, context) => {
    const twice = rubric === undefined ? null : repeatedId(resolveRubric(rubric))
    if (twice !== null)
      context.addIssue({
        code: 'custom',
        path: ['rubric'],
        message: `criteria with ids of their own ("${twice}" is there twice)`,
      })
    if (new Set(judges).size < judges.length)
      context.addIssue({ code: 'custom', path: ['judges'], message: 'each judge once' })
  })
  .transform(({ rubric, preset, ...rest }) => ({
    ...rest,
    rubric: preset === undefined ? resolveRubric(rubric ?? []) : [...PRESETS[preset]],
  }))
  .describe('What a model thinks of the answer, by a rubric.')
