/**
 * The options of a judge: who judges, by which rubric, how often, and how the verdicts of several judges are
 * combined.
 */
import { parseGraderDuration, type AgentLimits } from '@assay/contract'
import { timeSchema } from '@assay/code'
import { z } from 'zod'
import type { Exploration } from '../grader.ts'
import { PRESETS, repeatedId, resolveRubric, rubricSchema, type Criterion } from './rubric.ts'

/**
 * Matches subjects that are not models: commands, agents, replays and simulations. A suite may be untrusted, so it
 * must not start a program. As a judge it may name only a model, or a subject that the user defined.
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

const MOST_RUNS = 50

const limitsSchema = z
  .strictObject({
    turns: z.int().min(1).max(1_000_000).optional().describe('Requests to the model.'),
    toolCalls: z.int().min(0).max(1_000_000).optional().describe('Calls of tools.'),
    tokens: z.int().min(1).max(1e10).optional().describe('Tokens of all classes.'),
    usd: z.number().positive().max(1e6).optional().describe('What it costs, in US dollars.'),
  })
  .describe('What one run of a judge that explores may use. Beyond it, the run gives no verdict.')

const given = z
  .strictObject({
    judges: z
      .array(judgeSchema)
      .max(20)
      .default([])
      .describe(
        'Who judges: provider/model, or names from assay.toml. A name that is there three times is three runs of that judge. --judge, and judges in assay.toml, win over it.',
      ),
    runs: z
      .int()
      .min(1)
      .max(MOST_RUNS)
      .optional()
      .describe(
        'How often each judge judges an answer. Its score is then the consensus of its runs, weighted by the confidence it states. Default 1.',
      ),
    disagreement: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        'From 0 to 1: if the scores of a judge’s runs differ by more than this on average, it is asked again. Default 0.2.',
      ),
    maxRuns: z
      .int()
      .min(1)
      .max(MOST_RUNS)
      .optional()
      .describe(
        'The most runs of a judge whose runs disagree. Default: two more than it has without disagreement; 1 where it has one.',
      ),
    explore: z
      .boolean()
      .optional()
      .describe(
        'The judges work in a copy of what the graders see: its files, with a shell. Agents always do; with true, commands do too.',
      ),
    limits: limitsSchema.optional(),
    timeout: timeSchema
      .optional()
      .describe(
        'For one run of a judge that explores, such as "5m". The run’s timeout for agents unless given.',
      ),
    rubric: rubricSchema
      .optional()
      .describe('The criteria: sentences that are met or not, or tables. This, preset, or both.'),
    preset: z
      .enum(Object.keys(PRESETS) as [keyof typeof PRESETS])
      .optional()
      .describe('A rubric that comes with Assay: quality has ten categories of good code.'),
    instructions: z
      .string()
      .max(20_000)
      .default('')
      .describe('What the judge should know in addition to the rubric.'),
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
      .describe(
        'Of a longer answer the judge sees the beginning and the end, and is informed of it.',
      ),
  })
  .refine(({ rubric, preset }) => rubric !== undefined || preset !== undefined, {
    error: 'rubric, preset, or both',
  })

/**
 * The resolved options. They contain the whole rubric, so that the case's hash covers everything that the judge
 * is asked.
 */
export interface JudgeOptions {
  readonly judges: readonly string[]
  readonly rubric: readonly Criterion[]
  readonly instructions: string
  readonly reference: boolean
  readonly aggregate: Aggregate
  readonly threshold: number
  readonly attempts: number
  readonly mostChars: number
  // These settings are absent unless the suite sets them. So the hash of a case that does not set them does not
  // depend on their defaults.
  readonly runs?: number | undefined
  readonly disagreement?: number | undefined
  readonly maxRuns?: number | undefined
  readonly explore?: boolean | undefined
  readonly limits?: z.infer<typeof limitsSchema> | undefined
  readonly timeout?: string | number | undefined
}

/** The mean difference between a judge's runs above which the judge is asked again. */
const DISAGREEMENT = 0.2
/** How many runs may follow the planned runs if `maxRuns` is not set. */
const FURTHER_RUNS = 2

/** How often one judge is asked for a verdict on an answer. */
export interface RunsPlan {
  readonly judge: string
  /** The number of runs that always happen. */
  readonly planned: number
  /** The highest number of runs, which is reached if the runs disagree. */
  readonly most: number
  readonly disagreement: number
}

/**
 * Returns the plan of each judge, without duplicates. A judge that is named n times has n times `runs` planned runs.
 */
export function runsOf({ judges, runs = 1, maxRuns, disagreement }: JudgeOptions): RunsPlan[] {
  return [...new Set(judges)].map((judge) => {
    const planned = runs * judges.filter((other) => other === judge).length
    // A single run cannot disagree with another run.
    const most = planned === 1 ? 1 : Math.max(planned, maxRuns ?? planned + FURTHER_RUNS)
    return { judge, planned, most, disagreement: disagreement ?? DISAGREEMENT }
  })
}

const agentLimits = (own: z.infer<typeof limitsSchema>): AgentLimits => ({
  turns: own.turns ?? null,
  toolCalls: own.toolCalls ?? null,
  tokens: own.tokens ?? null,
  usd: own.usd ?? null,
})

/** Returns what a judge that explores may do. */
export const explorationOf = ({ explore = false, limits, timeout }: JudgeOptions): Exploration => ({
  isWanted: explore,
  limits: limits === undefined ? null : agentLimits(limits),
  timeoutMs: parseGraderDuration(timeout ?? ''),
})

export const judgeOptions: z.ZodType<JudgeOptions> = given
  .superRefine(({ rubric, preset, runs = 1, maxRuns = MOST_RUNS }, context) => {
    const twice = repeatedId(wholeRubric(rubric, preset))
    if (twice !== null)
      context.addIssue({
        code: 'custom',
        path: ['rubric'],
        message: `criteria with ids of their own ("${twice}" is there twice)`,
      })
    if (maxRuns < runs)
      context.addIssue({
        code: 'custom',
        path: ['maxRuns'],
        message: `at least as many as runs (${runs})`,
      })
  })
  .transform(({ rubric, preset, ...rest }) => ({ ...rest, rubric: wholeRubric(rubric, preset) }))
  .describe('What a model thinks of the answer, by a rubric.')

/** Returns the suite's own criteria, then those of the preset. */
const wholeRubric = (
  own: z.infer<typeof rubricSchema> | undefined,
  preset: keyof typeof PRESETS | undefined,
): Criterion[] => [...resolveRubric(own ?? []), ...(preset === undefined ? [] : PRESETS[preset])]
