/** `run.json`: the plan of a run with all its revisions, what it was made with, and how it ended. */
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type Json, type Source, type Text, RunError, UsageError } from '@assay/contract'
import { openOwn } from './own-file.ts'
import type { Unmasked } from './mask/unmasked.ts'
import { recordShape } from './record-shape.ts'
import { pathText } from './shape.ts'

export interface CaseRecord {
  readonly id: string
  readonly hash: string
  readonly trials: number
  /** It is graded as code. */
  readonly code?: true
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

export type Ending = 'complete' | 'budget' | 'interrupted' | 'failed'

export interface RunRecord {
  readonly assay: 'run'
  readonly version: 1
  readonly id: string
  readonly createdAt: string
  readonly tool: { readonly version: string; readonly node: string; readonly platform: string }
  readonly seed: number
  /** The run whose answers this one grades again; where it was, and its id wherever it is. */
  readonly regrades?: { readonly id: string; readonly folder: string }
  readonly revisions: readonly Revision[]
  /** How it last stopped; null while it runs, and after a sudden death. */
  readonly ended: { readonly at: string; readonly how: Ending } | null
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
      const bytes = Buffer.from(`${JSON.stringify(record, null, 2)}\n`)
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

/** Enough for everything before the plan. */
const HEAD_BYTES = 1024
const HEAD =
  /^\s*\{\s*"assay":\s*"run",\s*"version":\s*1,\s*"id":\s*"([^"\\]+)",\s*"createdAt":\s*"([^"\\]+)"/

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
    return readRecord(folder)
  } catch {
    return null
  }
}

export function readRecord(folder: string): RunRecord {
  const path = join(folder, RUN_FILE)
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
  let record: Partial<RunRecord> | null
  try {
    record = JSON.parse(text) as Partial<RunRecord> | null
  } catch (error) {
    throw new RunError(`${path} is damaged: ${(error as Error).message}`, { cause: error })
  }
  if (record?.assay !== 'run') throw new UsageError(`${path} was not written by assay`)
  if (record.version !== 1)
    throw new UsageError(
      `${path} has format version ${JSON.stringify(record.version)}, this assay reads version 1. Use the assay that wrote it, or a newer one`,
    )
  const misfit = recordShape(record)
  if (misfit !== null)
    throw new RunError(`${path} is damaged: ${pathText(misfit.path)}: expected ${misfit.expected}`)
  return record as RunRecord
}
