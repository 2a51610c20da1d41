/**
 * The messages between the coordinator and the workers of a run. They go through Redis. Every message is signed, and
 * its shape is checked before it is used. A job only names a trial. The suite, the settings and the answers of the
 * trial are transferred separately.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Identity, Trial } from '@assay/contract'
import { pendingShape, trialShape } from '../log/index.ts'
import type { Pending } from '../run/index.ts'
import { VERSION } from '../version.ts'

export const PROTOCOL = 1

const count = z.number().int().nonnegative()
const hash = z.string().regex(/^[0-9a-f]{64}$/u)

/** Says where the content of an item is: in Redis, or in the store, a folder that both sides can reach. */
const item = z.object({ sha256: hash, bytes: count, in: z.enum(['redis', 'store']) })
export type Item = z.infer<typeof item>

/** A lane: trials that need the same things from a worker. */
const lane = z.object({
  id: z.string().regex(/^[0-9a-f]{12}$/u),
  suite: z.string(),
  subject: z.string(),
  pool: z.string(),
  judges: z.array(z.string()),
  /** The programming language whose toolchain grades the code. Null if no code is graded. */
  language: z.string().nullable(),
  sandbox: z.boolean(),
  workspace: z.boolean(),
  /** Whether the worker needs a copy of the project's folder with the same content. */
  project: z.boolean(),
})
export type Lane = z.infer<typeof lane>

const subjectShape = z.object({
  id: z.string(),
  /**
   * The name that the subject is created from. Several subjects can have the same name, because prompts turn one
   * subject into several. Null for a function of a suite.
   */
  made: z.string().nullable(),
  settings: z.record(z.string(), z.string()),
  /** Whether the subject's settings refer to files of the project. */
  project: z.boolean(),
})

const headShape = z.object({
  protocol: z.literal(PROTOCOL),
  run: z.string(),
  version: z.string(),
  name: z.string(),
  at: z.string(),
  seed: count,
  lockMs: z.number().positive(),
  timeoutMs: z.number().positive(),
  agentTimeoutMs: z.number().positive(),
  gradeTimeoutMs: z.number().positive(),
  maxWaitMs: z.number().positive(),
  retry: z.object({ attempts: count, firstMs: z.number(), mostMs: z.number() }),
  sandbox: z.string(),
  sandboxGraders: z.boolean(),
  offlineSetup: z.boolean(),
  regrading: z.boolean(),
  hasBudget: z.boolean(),
  rate: z.number().nonnegative(),
  pools: z.record(z.string(), z.object({ start: count, most: count, probes: z.boolean() })),
  /** The number of parallel requests per provider. Null if the user did not set one. */
  parallelism: count.nullable(),
  suites: z.array(
    z.object({
      id: z.string(),
      hash: z.string(),
      item,
      /** The path of the suite's file relative to the project. Null if workers do not need the file. */
      path: z.string().nullable(),
      /** For a suite with functions: the hash of its data. Null for other suites. */
      functions: z.string().nullable(),
    }),
  ),
  subjects: z.array(subjectShape),
  judges: z.array(subjectShape),
  /** The settings from which workers create the subjects. It contains no secret. */
  recipe: z.object({
    named: z.record(z.string(), z.unknown()),
    providers: z.record(z.string(), z.unknown()),
    parameters: z.record(z.string(), z.unknown()),
    defaults: z.record(z.string(), z.unknown()),
    prices: item.nullable(),
    /** The folder to which paths of named subjects are relative. The path of this folder is relative to the project. */
    folder: z.string(),
  }),
  /** The packed folders from which workspaces start, by the hash that the cases name. */
  folders: z.record(z.string(), item),
  /**
   * The content of the project. `entries` contains the hashes of its files, so that a worker can say which files
   * differ.
   */
  project: z
    .object({ sha256: hash, entries: z.record(z.string(), z.string()).optional() })
    .nullable(),
  lanes: z.array(lane),
})
/** The description of a run, which its coordinator publishes for the workers. */
export type Head = z.infer<typeof headShape>

/** The coordinator's sign of life. The coordinator writes it every second. */
const beatShape = z.object({
  at: z.number(),
  state: z.enum(['running', 'stopping']),
  /** The hash of the current description of the run. */
  head: hash,
})

const jobShape = z.object({
  k: z.string(),
  n: z.string(),
  lane: z.string(),
  suite: z.string(),
  case: z.string(),
  subject: z.string(),
  index: count,
  caseHash: z.string(),
  timeoutMs: z.number().positive(),
  /** The cost of an earlier answer that could not be graded. */
  firstUsd: z.number().nonnegative().optional(),
})
export type TrialJob = z.infer<typeof jobShape>

const texts = z.record(hash, z.string())
const answerShape = z.object({
  k: z.string(),
  pending: z.custom<Pending>((value) => pendingShape(value) === null, 'not an answer'),
  texts,
})

const resultShape = z.object({
  k: z.string(),
  trial: z.custom<Trial>((value) => trialShape(value) === null, 'not a trial'),
  texts,
  wasPending: z.boolean(),
  worker: z.string(),
})
export type ResultMessage = z.infer<typeof resultShape>

const eventShape = z.discriminatedUnion('type', [
  z.object({ type: z.literal('wait'), pool: z.string(), why: z.string(), until: z.string() }),
  z.object({ type: z.literal('give-up'), pool: z.string(), code: z.string(), text: z.string() }),
  z.object({
    type: z.literal('budget'),
    subject: z.string(),
    expectedUsd: z.number(),
    reservedUsd: z.number(),
    spentUsd: z.number(),
  }),
  z.object({ type: z.literal('warning'), text: z.string() }),
  z.object({ type: z.literal('fault'), text: z.string() }),
  /** Money that no line of the log contains: for a trial that was stopped, or for an answer that came too late. */
  z.object({ type: z.literal('spent'), usd: z.number().nonnegative(), late: z.boolean() }),
  z.object({ type: z.literal('cancel') }),
])
export type QueueEvent = z.infer<typeof eventShape>

const fitShape = z.object({
  /**
   * For each lane (a group of trials with the same needs), why this worker cannot run its trials. Null if it can run
   * them.
   */
  lanes: z.record(z.string(), z.string().nullable()),
  /** How many answers the worker waits for at once. `grading` is how many it grades at once. */
  answering: count,
  grading: count,
  /** The sandbox and tools with which this worker grades code, for the record of the run. */
  setup: z
    .object({
      sandbox: z.string(),
      toolchains: z.record(z.string(), z.string()),
      programLimits: z.string().nullable(),
    })
    .nullable(),
})
export type Fit = z.infer<typeof fitShape>

/** Why Assay gave up on a provider in this run. */
const givenUpShape = z.object({ pool: z.string(), code: z.string(), text: z.string() })

const SHAPES = {
  run: headShape,
  beat: beatShape,
  job: jobShape,
  answer: answerShape,
  result: resultShape,
  event: eventShape,
  fit: fitShape,
  'given-up': givenUpShape,
} as const

/** Returns the value if it has the shape with this name, otherwise null. */
export function shaped<Name extends keyof typeof SHAPES>(
  name: Name,
  value: unknown,
): z.infer<(typeof SHAPES)[Name]> | null {
  const read = SHAPES[name].safeParse(value)
  return read.success ? (read.data as z.infer<(typeof SHAPES)[Name]>) : null
}

/** Returns the name of a trial in Redis. The name does not change when the run is resumed with a larger plan. */
export const trialKey = ({ suite, case: id, subject, index }: Identity, caseHash: string): string =>
  `t${sha256(JSON.stringify([suite, id, subject, index, caseHash])).slice(0, 24)}`

export const sha256 = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex')

/** The version of Assay that workers must have. Another version might grade the same answers differently. */
export const WANTED_VERSION = VERSION
