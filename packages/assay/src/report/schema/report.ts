/**
 * The format of `report.json`: the results of a run, which all output formats, the comparison and the viewer read. A
 * report is a pure function of the log. The schema below defines the format. The published JSON Schema is generated
 * from it, and reports that are read from files are checked against it.
 *
 * A figure with an uncertainty is a `Metric`. Other figures are defined by three specifications: code-scoring,
 * scoring-functions and metrics-formulas (see docs/reference/formulas.md). They are under `spec`, as plain numbers with
 * the names that the specification uses, so that its readers find them.
 *
 * JSON has no infinity. An infinite value is written as null, and a list named `infinite` next to it contains the name
 * of the value's field.
 *
 * Any change to the format needs a new `version` and a reader for the old one.
 */
import { z } from 'zod'
import { integrityNamed, type Integrity } from '@assay/contract'
import { count, figure, metricSchema } from './metric-schema.ts'
import { breakdownSchema } from './breakdown-schema.ts'
import { headlineSchema } from './headline-schema.ts'
import { judgesSchema, ownAnswersSchema } from './judge-schema.ts'
import { classificationSchema } from './classification-schema.ts'
import { gatesSchema } from './gate-schema.ts'
import { runSchema } from './run-schema.ts'
import { tiersSchema } from './tier-schema.ts'

/** Counts of trials. `planned` is the sum of all other counts. Outputs show it as the denominator. */
const countsSchema = z
  .object({
    planned: count,
    passed: count,
    failed: count,
    unscored: count,
    errored: count,
    cancelled: count,
  })
  .meta({ id: 'counts' })

const atKSchema = z.object({ k: z.int().min(1), metric: metricSchema })

/** The statistics that the metrics-formulas specification defines. */
const statisticsSchema = z
  .object({
    median: figure,
    mean: figure,
    mode: figure,
    min: figure,
    max: figure,
    std_dev: figure.describe('of the population, as the document has it; null next to an infinity'),
    count,
    infinite: z.array(z.string()).optional().describe('the fields above that are infinite'),
  })
  .meta({ id: 'statistics' })

const blocksSchema = z.object({
  pass_rate: statisticsSchema,
  impl_rate: statisticsSchema.nullable(),
  cost_usd: statisticsSchema.nullable(),
  duration_seconds: statisticsSchema.nullable(),
  cost_of_pass: statisticsSchema.nullable(),
  composite: statisticsSchema.nullable(),
})

const multiTrialSchema = z.object({
  perTrialPassRate: z.number(),
  passAtK: z.number(),
  passToTheK: z.number(),
  k: count,
})

interface GraderResult {
  name: string
  score: number
  passed: boolean
  details?: GraderResult[] | undefined
}

const graderResultSchema: z.ZodType<GraderResult> = z.object({
  name: z.string(),
  score: z.number(),
  passed: z.boolean(),
  get details() {
    return z.array(graderResultSchema).optional()
  },
})

/**
 * The score of a stimulus, as the scoring-functions specification defines it. `trialResults` is absent in runs with
 * very many trials.
 */
const stimulusSchema = z.object({
  stimulusName: z.string(),
  trialResults: z.array(z.array(graderResultSchema)).optional(),
  aggregateScore: z.number(),
  multiTrial: multiTrialSchema,
  unscored: z.boolean(),
  flaky: z.boolean(),
  flakinessPercent: z.number(),
})

const skillSchema = z.object({
  skillName: z.string(),
  stimulusScores: z.array(stimulusSchema),
  overallScore: z.number(),
  overallMultiTrial: multiTrialSchema,
  passed: z.boolean(),
})

const reasonSchema = z.object({
  subject: z.string(),
  outcome: z.enum(['failed', 'errored']),
  code: z.string(),
  count,
  example: z.string().describe('what the first trial of this kind said'),
})

const caseSchema = z.object({
  case: z.string(),
  caseHash: z.string().describe('of what is asked and how it is graded'),
  group: z.string().optional().describe('what it shares with similar cases'),
  tags: z.array(z.string()).optional(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  counts: countsSchema,
  n: count.describe('scored trials'),
  c: count.describe('scored trials that passed'),
  passRate: metricSchema.describe('with the interval of a single case'),
  meanScore: figure,
  passAtK: z.array(z.object({ k: z.int().min(1), value: figure })),
  flaky: z.boolean(),
  flakinessPercent: figure,
  stable: z.boolean().describe('proven: outcomes differ in at most a few percent of trials'),
  disagreement: figure.describe('chance that two trials of this case disagree'),
  meanCostUsd: figure,
  meanAnswerMs: figure,
  failedGraders: z
    .array(z.object({ name: z.string(), failed: count, of: count }))
    .describe('graders that failed at least once, over the scored trials'),
  reasons: z.array(z.object({ outcome: z.enum(['failed', 'errored']), code: z.string(), count })),
  sums: z
    .object({
      scores: count.describe('scored trials that have a score'),
      score: z.number(),
      scoreSq: z.number(),
      costUsd: z.number(),
      costSq: z.number(),
      costs: count.describe('scored trials whose cost is known'),
      answerMs: z.number(),
      answerMsSq: z.number(),
    })
    .describe('sufficient statistics over the scored trials: all that a comparison needs'),
  runs: z
    .array(runSchema)
    .optional()
    .describe('each scored trial; absent in runs of more than 20,000 trials'),
})

/** Accepts the names of the two integrity levels, and also the names that they had in older reports. */
const integritySchema = z.preprocess(
  (given) =>
    typeof given === 'object' && given !== null
      ? Object.fromEntries(
          Object.entries(given).map(([name, of]) => [integrityNamed(name) ?? name, of]),
        )
      : given,
  z
    .object({ isolated: count, 'in-process': count } satisfies Record<Integrity, unknown>)
    .describe('tested trials by how their tests ran: isolated or in the process of the solution'),
)

const codeSchema = z.object({
  compilationRate: metricSchema.describe('share of scored trials that compile'),
  testPassRate: metricSchema.describe('mean over cases of the share of tests passed'),
  lintScore: metricSchema.describe('mean over the trials that compile'),
  meanScore: metricSchema.optional().describe('of the cases that are code'),
  meanAnswerMs: figure.optional(),
  meanGradeMs: figure,
  integrity: integritySchema,
})

const subjectSchema = z.object({
  suite: z.string(),
  subject: z.string(),
  source: z.enum(['live', 'cache', 'replay', 'simulated']),
  counts: countsSchema,
  groups: z
    .object({
      count: count.describe('groups, each case without one counted as one'),
      grouped: count.describe('cases that have a group'),
      alone: count.describe('cases that have none'),
    })
    .optional()
    .describe('of the scored cases, if any two share a group: the unit for cases like these'),
  passRate: metricSchema,
  meanScore: metricSchema,
  passAtK: z.array(atKSchema),
  passHatK: z.array(atKSchema).describe('unbiased pass^k'),
  curve: z
    .object({ passAtK: z.array(atKSchema), passHatK: z.array(atKSchema) })
    .describe('over k = 1 … n; of more than 100 trials a case, every k to 100 and then fewer'),
  fixed: z
    .object({ passRate: metricSchema, meanScore: metricSchema })
    .describe('the same figures with intervals for exactly these cases'),
  sensitivity: z
    .object({ erroredFail: figure, erroredPass: figure })
    .describe('the pass rate if every errored trial had failed, and if it had passed'),
  cost: z.object({
    totalUsd: figure,
    perTrialUsd: figure,
    unknown: count.describe('scored trials whose price is unknown; any makes the others null'),
    perPass: metricSchema.describe('total cost over total passes'),
    judgeUsd: figure,
  }),
  latency: z
    .object({ meanMs: figure, medianMs: figure, p95Ms: figure })
    .describe('of answering, without waiting for rate limits'),
  duration: z.object({ meanMs: figure, medianMs: figure }).optional().describe('end minus start'),
  waiting: z.object({ meanMs: figure, totalMs: figure }),
  grading: z.object({ meanMs: figure }),
  tokens: z.object({
    input: figure,
    cacheRead: figure,
    cacheWrite: figure,
    output: figure,
    reasoning: figure.describe('a part of output'),
  }),
  code: codeSchema.nullable(),
  composite: metricSchema
    .nullable()
    .describe('pass rate and judged score together; null without a judge'),
  grade: z
    .object({
      letter: z.string().nullable().describe('of the median composite'),
      meaning: z
        .string()
        .nullable()
        .optional()
        .describe('Excellent to Failing; null on another scale than the document’s'),
      probabilities: z.array(z.object({ grade: z.string(), probability: z.number() })),
    })
    .nullable(),
  spec: z.object({
    statistics: blocksSchema.nullable().describe('metrics-formulas, over all trials'),
    statisticsPerCase: blocksSchema.nullable().describe('the same over the cases’ means'),
    score: statisticsSchema.nullable().describe('of the trials’ scores'),
    grade: z.string().nullable().describe('from the median composite'),
    cost_of_pass: figure.describe('mean cost over pass rate'),
    infinite: z.array(z.string()).optional(),
    passToTheK: z.array(z.object({ k: z.int().min(1), value: figure })).describe('mean of p^k'),
    passAtKNaive: z.array(z.object({ k: z.int().min(1), value: figure })),
    skill: skillSchema.nullable().describe('scoring-functions; null where nothing was scored'),
  }),
  cases: z.array(caseSchema),
})

const provenanceSchema = z.object({
  experiment: z
    .string()
    .optional()
    .describe('the name of the experiment whose tiers the subjects are'),
  experimentFile: z.string().optional().describe('the file of that experiment'),
  tool: z.object({ version: z.string(), node: z.string(), platform: z.string() }).nullable(),
  seed: z.number().nullable(),
  suites: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      path: z.string(),
      format: z.string(),
      hash: z.string(),
      gradersHash: z.string().nullable(),
      threshold: figure,
      codeWeights: z
        .array(z.object({ compile: z.number(), tests: z.number(), lint: z.number() }))
        .optional()
        .describe('how the parts of code count, where that is not the specification’s'),
    }),
  ),
  subjects: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      source: z.enum(['live', 'cache', 'replay', 'simulated']),
      config: z.unknown(),
      hash: z.string(),
    }),
  ),
  timeoutMs: figure,
  agentTimeoutMs: z.number().optional().describe('for subjects that work in a workspace'),
  gradeTimeoutMs: figure,
  budgetUsd: figure,
  prices: z.string().nullable(),
  sandbox: z.string().nullable(),
  toolchains: z.record(z.string(), z.string()),
  scoring: z
    .object({
      version: z.int(),
      codeWeights: z.unknown(),
      compositeWeights: z.unknown(),
      grades: z.unknown(),
      impl: z
        .enum(['judge', 'score'])
        .optional()
        .describe('what counts as the implementation rate; the judges’ score unless given'),
    })
    .describe('the weights and thresholds behind scores, composites and letters'),
  revisions: count.describe('how often the plan was changed, the first included'),
  stopped: z
    .enum(['complete', 'partial', 'budget', 'interrupted', 'failed'])
    .nullable()
    .describe('why it stopped; null while it runs and after a sudden death'),
  judges: z
    .array(z.object({ id: z.string(), kind: z.string(), config: z.unknown(), hash: z.string() }))
    .optional()
    .describe('whom graders asked'),
  regrades: z
    .object({ id: z.string(), folder: z.string(), edited: z.literal(true).optional() })
    .optional()
    .describe('the run whose answers were graded again'),
  edited: z
    .literal(true)
    .optional()
    .describe('something else than Assay changed the run’s record, which was accepted as it was'),
  shard: z
    .object({ index: z.int().min(1), of: z.int().min(1) })
    .optional()
    .describe('the part of the plan that this run is; all counts are of this part'),
  leftOut: z
    .object({
      words: z.string().describe('the flags that chose the cases'),
      suites: z.array(z.object({ suite: z.string(), cases: count, of: count })),
    })
    .optional()
    .describe('set if the run covers only some cases of a suite: how many, of how many'),
  merged: z
    .array(z.string())
    .optional()
    .describe('the ids of the runs of parts that were merged into this one'),
  origin: z.string().nullable().describe('files that this was computed from'),
  log: z.object({
    torn: z.boolean(),
    damaged: count.describe('lines that are not as they were written; no figure counts them'),
    damagedLines: z
      .array(
        z.object({
          line: z.int().min(1),
          trial: z
            .object({
              suite: z.string(),
              case: z.string(),
              subject: z.string(),
              index: count,
            })
            .nullable()
            .describe('whose it says it is'),
        }),
      )
      .optional()
      .describe('the first of them'),
    checked: z.boolean().optional().describe('whether lines have checksums'),
    replaced: count,
    foreign: count,
  }),
})

const readingSchema = z.object({
  path: z.string(),
  kind: z.string().describe('the format of the file'),
  rows: count,
  columns: z
    .array(
      z.object({
        role: z.string().describe('what the columns were taken for'),
        columns: z.array(z.string()).describe('several columns form one name'),
        guessed: z.boolean().describe('false where a flag named them'),
        why: z.string(),
      }),
    )
    .describe('empty where the format is known'),
  unused: z.array(z.string()),
  setAside: z
    .array(
      z.object({
        column: z.string(),
        count,
        first: z.array(z.string()).describe('lines of the first values, or places in the document'),
        example: z.string(),
      }),
    )
    .describe('values out of range or not readable; they count as unknown'),
})

export const reportSchema = z.object({
  assay: z.literal('report'),
  version: z.literal(1),
  headline: headlineSchema.optional(),
  run: z.object({
    id: z.string(),
    createdAt: z.string().nullable(),
    endedAt: z.string().nullable(),
  }),
  provenance: provenanceSchema,
  passK: z.array(z.int().min(1)),
  counts: countsSchema,
  spentUsd: z.number(),
  cached: count.describe('trials whose answer was kept from an earlier run'),
  sandboxes: z.array(z.string()).describe('where code was run'),
  networks: z
    .array(z.string())
    .optional()
    .describe('the networks that agents could use: none, open, or lists of hosts'),
  reasons: z.array(reasonSchema).describe('why trials failed or errored, beyond wrong answers'),
  subjects: z
    .array(subjectSchema)
    .describe('one for each suite and subject, in the order of the headline'),
  tiers: z.array(tiersSchema).describe('where subjects are tiers of one experiment'),
  judging: z.array(judgesSchema).optional().describe('one for each suite and judge grader'),
  ownAnswers: ownAnswersSchema.optional(),
  reading: z.array(readingSchema).optional().describe('how files of other programs were read'),
  gates: gatesSchema
    .optional()
    .describe('the gates that the command was asked to decide, and the exit code'),
  classification: z
    .array(classificationSchema)
    .optional()
    .describe('what the graders of type label found, if there are any'),
  by: z.array(breakdownSchema).optional().describe('figures by tag or metadata, if asked for'),
  notes: z.array(z.string()).describe('what a reader must know'),
})

export type Report = z.infer<typeof reportSchema>
export type SubjectReport = z.infer<typeof subjectSchema>
export type CaseReport = z.infer<typeof caseSchema>
export type { Headline, SuiteHeadline } from './headline-schema.ts'
export type { ReportMetric } from './metric-schema.ts'
export type StatisticsBlock = z.infer<typeof statisticsSchema>
export type Blocks = z.infer<typeof blocksSchema>
export type Provenance = z.infer<typeof provenanceSchema>
export type FileReading = z.infer<typeof readingSchema>
export type { BoundResult } from './gate-schema.ts'
export type { Breakdown, BreakdownRow } from './breakdown-schema.ts'
export type { ReportTiers, TierMetric } from './tier-schema.ts'
