/**
 * The schema of the experiment file. The file says which subjects are compared on which suites, in which order, how
 * often, and how composites and letter grades are computed. It cannot set providers or API keys. Otherwise an untrusted
 * experiment could send the user's keys to another server.
 */
import { z } from 'zod'
import { durationSchema, promptsSchema } from '../suite/index.ts'
import {
  pathSchema,
  subjectNameSchema,
  subjectSchema,
  subjectSettingsSchema,
} from './subject-schema.ts'

const labelSchema = z
  .string()
  .regex(/^[^,\p{Cc}]{1,60}$/u, 'a short name of one line without commas')
  .refine((label) => label.trim() === label, 'a name that neither begins nor ends with a space')

const axisSchema = z.union(
  [z.array(z.unknown()).min(1), z.record(labelSchema, subjectSettingsSchema)],
  'a list of values of the setting it is named for, or a table of settings by name',
)

const weightSchema = z.number().min(0).max(1e9)

export const experimentSchema = z
  .strictObject({
    $schema: z.string().optional().describe('For editors; ignored.'),
    name: z.string().min(1).max(500).optional().describe('For people.'),
    description: z.string().optional().describe('What is to be found out, for people.'),
    suites: z
      .array(pathSchema)
      .min(1)
      .describe('Suite files, relative to this file. Suites that are programs are not taken.'),
    subjects: z
      .union(
        [z.array(z.string().min(1)).min(1), z.record(subjectNameSchema, subjectSchema)],
        'a list of subjects, or tables of their settings by name',
      )
      .optional()
      .describe(
        'Who is compared: as --model takes them, or described here. Either this or matrix.',
      ),
    base: subjectSettingsSchema.optional().describe('Settings that all subjects of a matrix have.'),
    matrix: z
      .record(labelSchema, axisSchema)
      .optional()
      .describe('Axes; every combination of their values is a subject.'),
    prompts: promptsSchema.optional(),
    tiers: z
      .union(
        [z.string().min(1), z.array(z.string().min(1)).min(1)],
        'a list of subjects in their order, the axis of the matrix that makes the tiers, or "prompt"',
      )
      .optional()
      .describe(
        'The tiers in order; all subjects as they stand unless given. "prompt": the prompts are the tiers of each subject.',
      ),
    baseline: z
      .string()
      .min(1)
      .optional()
      .describe('The tier that the others are measured by; the first unless given.'),
    vary: z
      .array(z.string().min(1))
      .optional()
      .describe('Settings in which the tiers may differ. Anything else that differs is an error.'),
    trials: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe('Trials of each case on each tier, whatever the suites say. Default 10.'),
    passK: z
      .array(z.int().min(1).max(1_000_000))
      .min(1)
      .optional()
      .describe('The k of pass@k and pass^k.'),
    judges: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)], 'a subject or a list of them')
      .optional()
      .describe('Judges in place of those that suites name.'),
    impl: z
      .enum(['judge', 'score'])
      .default('judge')
      .describe('The implementation rate in the composite: the judges’ score, or the trial’s own.'),
    composite: z
      .strictObject({ pass: weightSchema, impl: weightSchema })
      .refine(({ pass, impl }) => pass + impl > 0, 'weights that are not both 0')
      .default({ pass: 0.5, impl: 0.5 })
      .describe('Weights of the verdict and the implementation rate in the composite.'),
    grades: z
      .record(z.string().regex(/^[^\p{Cc}]{1,12}$/u, 'a short grade'), z.number().min(0).max(1))
      .refine(
        (grades) => Object.keys(grades).length > 1 && Object.values(grades).includes(0),
        'at least two grades, the lowest of them from 0',
      )
      .refine(
        (grades) => new Set(Object.values(grades)).size === Object.keys(grades).length,
        'a bound of its own for each grade',
      )
      .optional()
      .describe('The least median composite of each grade, such as A = 0.95; the lowest has 0.'),
    seed: z.int().min(0).optional().describe('Seed of the run.'),
    budget: z.number().positive().optional().describe('Most US dollars the run may spend.'),
    parallelism: z.int().min(1).max(10_000).optional().describe('Requests at once.'),
    timeout: durationSchema.optional().describe('For one answer.'),
    gradeTimeout: durationSchema.optional().describe('For one grading step.'),
    maxErrors: z.number().min(0).max(1).optional().describe('Share of errored trials tolerated.'),
    maxWait: durationSchema
      .optional()
      .describe('A provider that asks to be left alone for longer is given up.'),
    prices: pathSchema.optional().describe('Price file, relative to this file.'),
  })
  .describe('An experiment: tiers of subjects on the same suites.')

export type ExperimentFile = z.infer<typeof experimentSchema>

const MARKS = ['suites', 'tiers', 'matrix', 'vary']
const OTHERS = ['cases', 'stimuli', 'eval_set']

/** Whether the keys of the data are those of an experiment. Some of the keys may be misspelt. */
export const isExperiment = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  MARKS.some((key) => Object.hasOwn(value, key)) &&
  !OTHERS.some((key) => Object.hasOwn(value, key))

/** Whether a text may be an experiment. If not, the text is not parsed, which saves time. */
export const mayBeExperiment = (text: string): boolean =>
  /\b(?:suites|tiers|matrix|vary|variants|evals)\b/.test(text)
