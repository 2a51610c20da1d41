/**
 * `run.json`: the plan of a run with all its revisions, what it was made with, and how it ended. From version 2 on it
 * has a checksum of its value (`crc`), so that a change by anything else than Assay is noticed.
 */
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type Json, type Source, type Text, RunError, UsageError } from '@assay/contract'
import { checksumOf } from './checksum.ts'
import { openOwn } from './own-file.ts'
import type { LogVersion } from './trial-lines.ts'
import type { Unmasked } from './mask/unmasked.ts'
import { recordShape } from './record-shape.ts'
import { pathText } from './shape.ts'

export interface CaseRecord {
  readonly id: string
  readonly hash: string
  readonly trials: number
  /** It is graded as code. */
  readonly code?: true
  /** From version 2 on: cases of one group vary together, so that the group is the unit of intervals and tests. */
  readonly group?: string
}

export interface CodeWeightsRecord {
  readonly compile: number
  readonly tests: number
  readonly lint: number
}

export interface SuiteRecord {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly format: string
  readonly hash: string
  readonly threshold: number | null
  /** How the parts of code count, each way once, where that is not the specification's. */
  readonly codeWeights?: readonly CodeWeightsRecord[]
  readonly cases: readonly CaseRecord[]
  /** The whole resolved suite as JSON, so that the folder explains itself. */
  readonly text: Text
}

export interface SubjectRecord {
  readonly id: string
  readonly kind: string
  readonly source: Source
  readonly config: Json
  readonly hash: string
}

/** What makes a run an experiment: its tiers, and how composites and letters are made. */
export interface ExperimentRecord {
  readonly name: string | null
  readonly tiers: readonly { readonly order: readonly string[]; readonly baseline: string }[]
  /** Settings in which the tiers differ. */
  readonly varies: readonly string[]
  readonly composite: { readonly pass: number; readonly impl: number }
  readonly grades: {
    readonly steps: readonly { readonly grade: string; readonly least: number }[]
    readonly below: string
  }
  readonly impl: 'judge' | 'score'
}

/** Something that a run could start, contact or read outside of its repository. Never a variable's value. */
export type AccessRecord = { readonly for: string } & (
  | { readonly does: 'start'; readonly program: string }
  | { readonly does: 'send'; readonly variable: string | null; readonly to: string }
  | { readonly does: 'read' | 'write'; readonly path: string }
)

/** The plan in force from some moment on. A run starts with one; extending it adds another. */
export interface Revision {
  readonly at: string
  readonly suites: readonly SuiteRecord[]
  readonly subjects: readonly SubjectRecord[]
  /** Whom graders asked. Absent where they asked nobody. */
  readonly judges?: readonly SubjectRecord[]
  readonly passK: readonly number[]
  readonly timeoutMs: number
  /** For subjects that work in a workspace, where there are any. */
  readonly agentTimeoutMs?: number
  readonly gradeTimeoutMs: number
  readonly budgetUsd: number | null
  /** Requests at once for each provider, where the user said it; else as many as each provider allows. */
  readonly parallelism?: number
  /** What the user asked for, from which suites and subjects can be made again. */
  readonly request: Json
  /** Where prices came from, with its version. */
  readonly prices: string
  /** Where code was run: `bubblewrap`, `process`, `none`. Absent where no case is code. */
  readonly sandbox?: string
  /** What code was compiled, tested and linted with: versions by name. */
  readonly toolchains?: Readonly<Record<string, string>>
  readonly experiment?: ExperimentRecord
  readonly unmasked?: Unmasked
  /** Programs it started, addresses it contacted and the variable that was sent to each. Absent: none, or not known. */
  readonly access?: readonly AccessRecord[]
  /** What the user's own command line named, signed by the user (trust/consent.ts). */
  readonly consent?: Json
}

/** `partial`: a provider was given up and its trials are errored. */
export type Ending = 'complete' | 'partial' | 'budget' | 'interrupted' | 'failed'

/** The waits for one provider: a rate limit, an outage. */
export interface WaitRecord {
  readonly provider: string
  /** How often it was waited for. */
  readonly waits: number
  readonly from: string
  /** The end of the last wait as it was foreseen. */
  readonly until: string
  /** What the provider said last. */
  readonly why: string
  /** The most trials that waited. */
  readonly trials: number
  /** It was not asked any more, and its trials were errored. */
  readonly gaveUp?: true
}

export interface RunRecord {
  readonly assay: 'run'
  /** Of the whole folder: a run goes on in the version that it was started with. */
  readonly version: LogVersion
  readonly id: string
  readonly createdAt: string
  readonly tool: { readonly version: string; readonly node: string; readonly platform: string }
  readonly seed: number
  /** The run whose answers this one grades again; where it was, and its id wherever it is. */
  readonly regrades?: {
    readonly id: string
    readonly folder: string
    /** Its record was changed, and was accepted as it was. */
    readonly edited?: true
  }
  /** From version 2 on: the part of the plan that this run is, from 1. */
  readonly shard?: { readonly index: number; readonly of: number }
  /** From version 2 on: the ids of the runs that this one was joined from. */
  readonly merged?: readonly string[]
  /** Something else than Assay changed this record, and the user accepted it as it was. It stays said for ever. */
  readonly edited?: true
  readonly revisions: readonly Revision[]
  /** How it last stopped; null while it runs, and after a sudden death. */
  readonly ended: { readonly at: string; readonly how: Ending } | null
  /** Which providers it waited for. */
  readonly waits?: readonly WaitRecord[]
  /** What was spent on trials that were stopped half-way and have no line in the log. */
  readonly stoppedUsd?: number
}

export const RUN_FILE = 'run.json'

/** The plan that is in force. */
export function lastRevision(record: RunRecord): Revision {
  const revision = record.revisions.at(-1)
  if (revision === undefined) throw new RunError(`run ${record.id} has no plan`)
  return revision
}

/** Replaces the file as a whole: a reader sees the old one or the new one, never a part. */
export function writeRecord(folder: string, record: RunRecord): void {
  const path = join(folder, RUN_FILE)
  const temporary = `${path}.${process.pid}.tmp`
  try {
    rmSync(temporary, { force: true })
    const fd = openSync(temporary, 'wx')
    try {
      const bytes = Buffer.from(`${JSON.stringify(withChecksum(record), null, 2)}\n`)
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
    const entry = openSync(dirname(path), 'r')
    try {
      fsyncSync(entry)
    } finally {
      closeSync(entry)
    }
  } catch (error) {
    rmSync(temporary, { force: true })
    throw new RunError(`cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** Removes records that were being written when their writer died. Only for whoever has the folder to itself. */
export function removeUnfinishedRecord(folder: string): void {
  for (const name of readdirSync(folder))
    if (UNFINISHED.test(name)) rmSync(join(folder, name), { force: true })
}

const UNFINISHED = /^run\.json\.\d+\.tmp$/

const withChecksum = (record: RunRecord): RunRecord & { readonly crc?: string } =>
  record.version === 1 ? record : { ...record, crc: checksumOf(record) }

/** Enough for everything before the plan. */
const HEAD_BYTES = 1024
const HEAD =
  /^\s*\{\s*"assay":\s*"run",\s*"version":\s*[12],\s*"id":\s*"([^"\\]+)",\s*"createdAt":\s*"([^"\\]+)"/

/**
 * Which run is in a folder and when it was started, from the first lines of its record: with many cases the
 * rest is large. Null where that cannot be read.
 */
export function readRunHead(folder: string): Pick<RunRecord, 'id' | 'createdAt'> | null {
  try {
    const bytes = Buffer.alloc(HEAD_BYTES)
    const fd = openOwn(join(folder, RUN_FILE))
    let length: number
    try {
      length = readSync(fd, bytes)
    } finally {
      closeSync(fd)
    }
    const [, id, createdAt] = HEAD.exec(bytes.toString('utf8', 0, length)) ?? []
    if (id !== undefined && createdAt !== undefined) return { id, createdAt }
    // Its keys are in another order: some program has written it again.
    return readRecord(folder, { acceptEdited: true })
  } catch {
    return null
  }
}

/** Whether a run whose record was changed is read all the same. */
export interface ReadOptions {
  readonly acceptEdited?: boolean | undefined
}

/** Throws where the record was changed since Assay wrote it, unless that is accepted: then it says so itself. */
export function readRecord(folder: string, { acceptEdited = false }: ReadOptions = {}): RunRecord {
  const path = join(folder, RUN_FILE)
  const { crc, ...value } = readTable(folder, path)
  if (value['assay'] !== 'run') throw new UsageError(`${path} was not written by assay`)
  const { version } = value
  if (version !== 1 && version !== 2)
    throw new UsageError(
      `${path} has format version ${JSON.stringify(version)}, this assay reads versions 1 and 2. Use the assay that wrote it, or a newer one. If there is no such version, the file is damaged`,
    )
  const misfit = recordShape(value)
  if (misfit !== null)
    throw new RunError(`${path} is damaged: ${pathText(misfit.path)}: expected ${misfit.expected}`)
  const record = value as unknown as RunRecord
  if ((version === 1 && crc === undefined) || crc === checksum(path, record)) return record
  if (acceptEdited) return { ...record, edited: true }
  throw new RunError(
    `${path} was changed since Assay wrote it: its content does not have its checksum ${JSON.stringify(crc ?? null)}. ` +
      'The file is damaged, or somebody edited it. Take it from a copy, or read it as it is with --accept-edited: everything that is then shown says so',
  )
}

function checksum(path: string, record: RunRecord): string {
  try {
    return checksumOf(record)
  } catch (error) {
    throw new RunError(`${path} is damaged: ${(error as Error).message}`, { cause: error })
  }
}

function readTable(folder: string, path: string): Readonly<Record<string, unknown>> {
  let text: string
  try {
    const fd = openOwn(path)
    try {
      text = readFileSync(fd, 'utf8')
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UsageError(`${folder} is no run folder: it has no ${RUN_FILE}`)
    throw new RunError(`cannot read ${path}: ${(error as Error).message}`, { cause: error })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new RunError(`${path} is damaged: ${(error as Error).message}`, { cause: error })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${path} was not written by assay`)
  return value as Readonly<Record<string, unknown>>
}
