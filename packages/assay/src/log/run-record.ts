/**
 * `run.json`: the plan of a run with all its revisions, the versions of the tools it used, and how it ended. From
 * version 2 on it has a checksum (`crc`), so that Assay notices if another program has changed it.
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
import { notRunText, REMEDY, RUN_FILE } from './not-a-run.ts'
import { openOwn } from './own-file.ts'
import type { LogVersion } from './trial-lines.ts'
import type { Unmasked } from './mask/unmasked.ts'
import { recordShape } from './record-shape.ts'
import { pathText } from './shape.ts'
import type { Shard } from './tally/shard.ts'

export interface CaseRecord {
  readonly id: string
  readonly hash: string
  readonly trials: number
  /** Set if the code grader grades the case. */
  readonly code?: true
  /**
   * The id of the case's group, from version 2 on. The cases of one group are correlated, so intervals and tests treat
   * the group as one unit. Absent if the suite names no group for the case.
   */
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
  /**
   * The weights of the parts of the code score. Each distinct set of weights is listed once. Absent if all cases use
   * the weights of the code-scoring specification.
   */
  readonly codeWeights?: readonly CodeWeightsRecord[]
  /** The ids of the subjects that answer this suite. Absent: all subjects of the run. */
  readonly subjects?: readonly string[]
  readonly cases: readonly CaseRecord[]
  /** The whole suite as it was loaded, as JSON. So the run folder can be understood without the suite's file. */
  readonly text: Text
}

export interface SubjectRecord {
  readonly id: string
  readonly kind: string
  readonly source: Source
  readonly config: Json
  readonly hash: string
}

/**
 * How a run that is an experiment is evaluated: its tiers, and how composite scores and letter grades are computed.
 * Absent for other runs.
 */
export interface ExperimentRecord {
  readonly name: string | null
  /** The experiment's file, as suites name theirs. Runs before November 2026 do not have it. */
  readonly file?: string
  readonly tiers: readonly { readonly order: readonly string[]; readonly baseline: string }[]
  /** The settings in which the tiers differ. */
  readonly varies: readonly string[]
  readonly composite: { readonly pass: number; readonly impl: number }
  readonly grades: {
    readonly steps: readonly { readonly grade: string; readonly least: number }[]
    readonly below: string
  }
  readonly impl: 'judge' | 'score'
}

/**
 * Something outside of the repository that a run could start, contact or read. It contains the names of environment
 * variables, never their values.
 */
export type AccessRecord = { readonly for: string } & (
  | { readonly does: 'start'; readonly program: string }
  | { readonly does: 'send'; readonly variable: string | null; readonly to: string }
  | { readonly does: 'read' | 'write'; readonly path: string }
)

/**
 * The suites of which only some cases were planned. `words`: the flags that selected the cases. `cases`: how many cases
 * of the suite were planned. `of`: how many cases the suite has.
 */
export interface LeftOutRecord {
  readonly words: string
  readonly suites: readonly {
    readonly suite: string
    readonly cases: number
    readonly of: number
  }[]
}

/**
 * One version of the run's plan. A run starts with one revision. Each extension of the run adds a revision, and the
 * last one applies.
 */
export interface Revision {
  readonly at: string
  readonly suites: readonly SuiteRecord[]
  readonly subjects: readonly SubjectRecord[]
  /** The models that graders use as judges. Absent if there are none. */
  readonly judges?: readonly SubjectRecord[]
  readonly passK: readonly number[]
  readonly timeoutMs: number
  /** The time limit for subjects that work in a workspace. Absent if no subject does. */
  readonly agentTimeoutMs?: number
  readonly gradeTimeoutMs: number
  readonly budgetUsd: number | null
  /** The number of parallel requests per provider, if the user set it. Otherwise each provider has its own limit. */
  readonly parallelism?: number
  /** What the user asked for. The suites and subjects can be built again from it. */
  readonly request: Json
  /** Where the prices come from, with the version. */
  readonly prices: string
  /** The sandbox in which code ran: `bubblewrap`, `process` or `none`. Absent if no case is graded as code. */
  readonly sandbox?: string
  /** The versions, by name, of the tools that compiled, tested and linted code. */
  readonly toolchains?: Readonly<Record<string, string>>
  /**
   * How agents, setup commands and grading commands were limited in their use of resources, with all their child
   * processes: by control groups, by systemd scopes, or only by the limits of each process. Absent if the run had no
   * such programs.
   */
  readonly programLimits?: string
  readonly experiment?: ExperimentRecord
  /** Set if the run covers only a part of the cases of its suites, by the user's choice. */
  readonly leftOut?: LeftOutRecord
  readonly unmasked?: Unmasked
  /**
   * The programs that the run started, the addresses it contacted, and the environment variable that was sent to each.
   * Absent if there were none, or if they are not known.
   */
  readonly access?: readonly AccessRecord[]
  /**
   * The programs and addresses that the user named on the command line. They are signed with the user's key, which
   * proves that the user agreed to them (trust/consent.ts).
   */
  readonly consent?: Json
}

/** How a run ended. `partial` means that Assay gave up on a provider and recorded its trials as errored. */
export type Ending = 'complete' | 'partial' | 'budget' | 'interrupted' | 'failed'

/** A summary of all waits for one provider, because of a rate limit or an outage. */
export interface WaitRecord {
  readonly provider: string
  /** How often the run waited for the provider. */
  readonly waits: number
  readonly from: string
  /** The expected end of the last wait. */
  readonly until: string
  /** The provider's last error message. */
  readonly why: string
  /** The largest number of trials that waited at the same time. */
  readonly trials: number
  /** Set if Assay gave up on the provider and recorded its trials as errored. */
  readonly gaveUp?: true
}

export interface RunRecord {
  readonly assay: 'run'
  /** The version of the format of the whole folder. A resumed run keeps the version that it was started with. */
  readonly version: LogVersion
  readonly id: string
  readonly createdAt: string
  readonly tool: { readonly version: string; readonly node: string; readonly platform: string }
  readonly seed: number
  /**
   * The run whose answers this run grades again. `folder` is where it was at that time. Its id stays valid if the
   * folder is moved.
   */
  readonly regrades?: {
    readonly id: string
    readonly folder: string
    /** Set if another program had changed that run's record, and the user accepted the change. */
    readonly edited?: true
  }
  /** From version 2 on: which part of the plan this run covers, counted from 1. */
  readonly shard?: Shard
  /** From version 2 on: the ids of the runs that were merged into this one. */
  readonly merged?: readonly string[]
  /**
   * The commit of the repository in which the run was started. Absent if there is none. It does not show whether there
   * were uncommitted changes.
   */
  readonly commit?: string
  /**
   * Set if a program other than Assay changed this record and the user accepted the change. Assay never removes this
   * mark.
   */
  readonly edited?: true
  readonly revisions: readonly Revision[]
  /** How and when the run last stopped. Null while the run is going on, and after a crash. */
  readonly ended: { readonly at: string; readonly how: Ending } | null
  /** The providers that the run waited for. */
  readonly waits?: readonly WaitRecord[]
  /** The money spent on trials that were stopped midway and have no line in the log. */
  readonly stoppedUsd?: number
  /**
   * For a run on a queue: the number of answers that were requested more than once because a worker or Redis was lost.
   */
  readonly askedAgain?: number
}

/** Returns the revision that applies: the last one. */
export function lastRevision(record: RunRecord): Revision {
  const revision = record.revisions.at(-1)
  if (revision === undefined) throw new RunError(`run ${record.id} has no plan`)
  return revision
}

/** Replaces the file atomically. A program that reads it gets the old file or the new one, never a part of one. */
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

/**
 * Removes the temporary files of processes that died while writing the record. The caller must hold the folder's lock.
 */
export function removeUnfinishedRecord(folder: string): void {
  for (const name of readdirSync(folder))
    if (UNFINISHED.test(name)) rmSync(join(folder, name), { force: true })
}

const UNFINISHED = /^run\.json\.\d+\.tmp$/

const withChecksum = (record: RunRecord): RunRecord & { readonly crc?: string } =>
  record.version === 1 ? record : { ...record, crc: checksumOf(record) }

/**
 * The number of bytes that are read to find the id and the start time. They are in the fields before the plan, which
 * take less.
 */
const HEAD_BYTES = 1024
const HEAD =
  /^\s*\{\s*"assay":\s*"run",\s*"version":\s*[12],\s*"id":\s*"([^"\\]+)",\s*"createdAt":\s*"([^"\\]+)"/

/**
 * Returns a run's id and start time. Null if they cannot be read. Reads only the first bytes of the run's record,
 * because the record of a run with many cases is large.
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
    // The keys are not in the order in which Assay writes them, so another program has rewritten the file. Then the
    // whole file is read.
    return readRecord(folder, { acceptEdited: true })
  } catch {
    return null
  }
}

/** Options for reading a run's record. */
export interface ReadOptions {
  readonly acceptEdited?: boolean | undefined
}

/**
 * Reads the record. Throws if another program has changed it. With `acceptEdited`, returns the changed record and marks
 * it as `edited`.
 */
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
    throw new RunError(
      `${path} is damaged: ${pathText(misfit.path)}: expected ${misfit.expected}. ${REMEDY}`,
    )
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
    throw new RunError(`${path} is damaged: ${(error as Error).message}. ${REMEDY}`, {
      cause: error,
    })
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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new UsageError(notRunText(folder))
    throw new RunError(`cannot read ${path}: ${(error as Error).message}`, { cause: error })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new RunError(`${path} is damaged: ${(error as Error).message}. ${REMEDY}`, {
      cause: error,
    })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${path} was not written by assay`)
  return value as Readonly<Record<string, unknown>>
}
