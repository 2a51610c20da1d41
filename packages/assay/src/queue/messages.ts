/**
 * What coordinator and workers tell each other through Redis. Every message is signed, and its shape is checked before it
 * is used. A job names a trial; what it needs (suite, settings, answers) is found by it and is never a part of it.
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

/** Where the content of an item is: in Redis, or in the store that both sides name. */
const item = z.object({ sha256: hash, bytes: count, in: z.enum(['redis', 'store']) })
export type Item = z.infer<typeof item>

/** Trials that need the same things from a worker. */
const lane = z.object({
  id: z.string().regex(/^[0-9a-f]{12}$/u),
  suite: z.string(),
  subject: z.string(),
  pool: z.string(),
  judges: z.array(z.string()),
  /** The language whose toolchain grades the code. */
  language: z.string().nullable(),
  sandbox: z.boolean(),
  workspace: z.boolean(),
  /** Whether the worker needs the project's folder, with the same content. */
  project: z.boolean(),
})
export type Lane = z.infer<typeof lane>

const subjectShape = z.object({
  id: z.string(),
  /** The name that it is made from. A prompt makes further subjects from one. Null for the functions of a suite. */
  made: z.string().nullable(),
  settings: z.record(z.string(), z.string()),
  /** Whether its settings name files of the project. */
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
  /** The number of parallel requests per provider, if the user set one. */
  parallelism: count.nullable(),
  suites: z.array(
    z.object({
      id: z.string(),
      hash: z.string(),
      item,
      /** The path of its file from the project. Null if the file is not needed. */
      path: z.string().nullable(),
      /** The hash of the data of a suite with functions. Null if it has none. */
      functions: z.string().nullable(),
    }),
  ),
  subjects: z.array(subjectShape),
  judges: z.array(subjectShape),
  /** How the subjects are made, as the settings say it. Contains no secret. */
  recipe: z.object({
    named: z.record(z.string(), z.unknown()),
    providers: z.record(z.string(), z.unknown()),
    parameters: z.record(z.string(), z.unknown()),
    defaults: z.record(z.string(), z.unknown()),
    prices: item.nullable(),
    /** The folder from the project to which paths of named subjects are relative. */
    folder: z.string(),
  }),
  /** The files of workspaces, by the hash that the cases name. */
  folders: z.record(z.string(), item),
  /** `entries`: the hashes of its files, to say which of them differ. */
  project: z
    .object({ sha256: hash, entries: z.record(z.string(), z.string()).optional() })
    .nullable(),
  lanes: z.array(lane),
})
/** The description of a run that its coordinator publishes. */
export type Head = z.infer<typeof headShape>

/** The coordinator's sign of life. */
const beatShape = z.object({
  at: z.number(),
  state: z.enum(['running', 'stopping']),
  /** The hash of the description that is valid now. */
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
  /** What was paid for an answer that could not be graded. */
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
  /** Money that is on no line of the log: of a trial that was stopped, or of an answer that came too late. */
  z.object({ type: z.literal('spent'), usd: z.number().nonnegative(), late: z.boolean() }),
  z.object({ type: z.literal('cancel') }),
])
export type QueueEvent = z.infer<typeof eventShape>

const fitShape = z.object({
  /** For each lane: null, or why this worker cannot serve it. */
  lanes: z.record(z.string(), z.string().nullable()),
  /** How many answers and grades it works on at the same time. */
  answering: count,
  grading: count,
  /** What code is graded with, for the record of the run. */
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

/** The value if it has the shape, otherwise null. */
export function shaped<Name extends keyof typeof SHAPES>(
  name: Name,
  value: unknown,
): z.infer<(typeof SHAPES)[Name]> | null {
  const read = SHAPES[name].safeParse(value)
  return read.success ? (read.data as z.infer<(typeof SHAPES)[Name]>) : null
}

/** The name of a trial in Redis. It stays the same when a resumed run has a larger plan. */
export const trialKey = ({ suite, case: id, subject, index }: Identity, caseHash: string): string =>
  `t${sha256(JSON.stringify([suite, id, subject, index, caseHash])).slice(0, 24)}`

export const sha256 = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex')

/** The version that workers must have: the same answers must be graded in the same way. */
export const WANTED_VERSION = VERSION
