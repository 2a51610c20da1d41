/**
 * A run folder opened for writing: the lock, the record, the trial log, the answers that wait for
 * their grades, and the blobs. What came from outside is masked before it is written (masked.ts).
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Answer, type Text, type Trial, RunError, UsageError } from '@assay/contract'
import { Blobs } from './blobs.ts'
import { LineFile } from './line-file.ts'
import { checkedLine, takeCheckedLine } from './checked-line.ts'
import { HEARTBEAT_FILE, Lock, LOCK_FILE, type LockOptions } from './lock/lock.ts'
import { checkOwnFile, checkOwnFolder } from './own-file.ts'
import { readLines } from './read-lines.ts'
import { maskedRecord, maskedRevision, maskedTrial } from './mask/masked.ts'
import { maskedAnswer, type MaskedAnswer } from './mask/masked-answer.ts'
import { masksAnything, redactor, type Redact } from './mask/redact.ts'
import {
  readRecord,
  removeUnfinishedRecord,
  RUN_FILE,
  writeRecord,
  type ReadOptions,
  type Revision,
  type RunRecord,
} from './run-record.ts'
import {
  readTrials,
  trialLine,
  TRIALS_FILE,
  trialsHeader,
  type AnsweredTrial,
  type TrialsRead,
} from './trial-lines.ts'

const PENDING_FILE = 'pending.jsonl'
const BLOBS_FOLDER = 'blobs'
/** Where workspaces are kept that the user wants to look at. */
export const WORKSPACES_FOLDER = 'workspaces'

/** Below this, emptying the pending file is not worth a system call. */
const PENDING_KEPT = 1_000_000

/** Gets what a run that goes on has recorded, in this order. */
export interface Recorded {
  readonly trial: (trial: Trial) => void
  /** What is certain of a damaged line: the trial without its grades. */
  readonly answered?: (trial: AnsweredTrial) => void
  /** An answer that waits for its grade. Returns whether it is still needed. */
  readonly pending: (pending: unknown) => boolean
}

export interface ResumeOptions extends ReadOptions {
  readonly lock?: LockOptions
}

export class RunFolder {
  readonly path: string
  readonly blobs: Blobs
  /** A text as it may be written. */
  readonly redact: Redact
  readonly #lock: Lock
  readonly #secrets: readonly string[]
  /** An answer is written when it arrives and when it is graded. */
  readonly #masked = new WeakMap<Answer, MaskedAnswer>()
  readonly #trials: LineFile
  readonly #pending: LineFile
  #record: RunRecord
  /** Answers on disk whose trial is not. */
  #waiting = 0

  private constructor(
    path: string,
    record: RunRecord,
    secrets: readonly string[],
    open: { lock: Lock; trials: LineFile; pending: LineFile },
  ) {
    this.path = path
    this.#record = record
    this.#secrets = secrets
    this.redact = redactor(secrets)
    this.#lock = open.lock
    this.#trials = open.trials
    this.#pending = open.pending
    this.blobs = new Blobs(join(path, BLOBS_FOLDER))
  }

  /** A new run in a folder that is empty or not there yet. */
  static create(path: string, record: RunRecord, secrets: readonly string[]): RunFolder {
    let isEmpty: boolean
    try {
      makeFolder(resolve(path))
      isEmpty = readdirSync(path).length === 0
    } catch (error) {
      throw new UsageError(`cannot make the run folder ${path}: ${(error as Error).message}`)
    }
    if (!isEmpty)
      throw new UsageError(
        `${path} is not empty. Choose another folder, or continue the run in it with --resume ${path}`,
      )
    let lock: Lock
    try {
      lock = Lock.take(path)
      writeRecord(path, maskedRecord(record, redactor(secrets)))
    } catch (error) {
      // Nothing has started yet, so this is about what the user asked for.
      if (error instanceof RunError) throw new UsageError(error.message)
      throw error
    }
    const check = (): void => lock.check()
    const trials = LineFile.open(join(path, TRIALS_FILE), 0, check)
    const pending = LineFile.open(join(path, PENDING_FILE), 0, check)
    const folder = new RunFolder(path, record, secrets, { lock, trials, pending })
    void trials.append(trialsHeader(record.id, record.version))
    return folder
  }

  /** Continues a run: waits for its lock where that may be stale, and reads what is recorded. */
  static async resume(
    path: string,
    secrets: readonly string[],
    recorded: Recorded,
    options: ResumeOptions = {},
  ): Promise<{ folder: RunFolder; read: TrialsRead; damagedAnswers: number }> {
    checkOwn(path)
    // What is no run is not locked.
    readRecord(path, options)
    const lock = await Lock.takeOver(path, options.lock)
    try {
      const record = readRecord(path, options)
      if (record.ended === null) {
        removeUnfinishedRecord(path)
        await new Blobs(join(path, BLOBS_FOLDER)).removeUnfinished()
      }
      const read = await readTrials(path, recorded.trial, recorded.answered)
      let waiting = 0
      const pendingRead = await readLines(join(path, PENDING_FILE), (line) =>
        takeCheckedLine(line, record.version, (value) => {
          if (recorded.pending(value)) waiting++
        }),
      )
      const check = (): void => lock.check()
      const trials = LineFile.open(join(path, TRIALS_FILE), read.length, check)
      const pending = LineFile.open(join(path, PENDING_FILE), pendingRead.length, check)
      const folder = new RunFolder(path, record, secrets, { lock, trials, pending })
      folder.#waiting = waiting
      if (read.length === 0) void trials.append(trialsHeader(record.id, record.version))
      return { folder, read, damagedAnswers: pendingRead.damaged }
    } catch (error) {
      lock.release()
      throw error
    }
  }

  get record(): RunRecord {
    return this.#record
  }

  /** Rewrites run.json: a new revision, what the run waited for, how it ended. */
  update(change: Partial<Pick<RunRecord, 'revisions' | 'ended' | 'waits' | 'stoppedUsd'>>): void {
    this.#record = maskedRecord({ ...this.#record, ...change }, this.redact)
    writeRecord(this.path, this.#record)
  }

  /** A revision as the record would have it. */
  maskedRevision(revision: Revision): Revision {
    return maskedRevision(revision, this.redact)
  }

  /** An answer as it may be written, and which of its parts are not as graders see them. */
  maskedAnswer(answer: Answer): MaskedAnswer {
    if (!masksAnything(this.#secrets)) return { answer, masked: [] }
    let masked = this.#masked.get(answer)
    if (masked === undefined) {
      masked = maskedAnswer(answer, this.#secrets)
      this.#masked.set(answer, masked)
    }
    return masked
  }

  /** A text as the log keeps it, masked: inline, or stored as a blob before this resolves. */
  text(text: string): Promise<Text> {
    return this.blobs.put(this.redact(text))
  }

  /** The same for a text that is masked already; that of JSON must be, by its values. */
  maskedText(text: string): Promise<Text> {
    return this.blobs.put(text)
  }

  /**
   * Records a finished trial, whose answer and its parts are masked already; resolves with the trial as it is
   * written, when it is on the disk.
   */
  async appendTrial(trial: Trial, wasPending: boolean): Promise<Trial> {
    const written = masksAnything(this.#secrets) ? maskedTrial(trial, this.redact) : trial
    await this.#trials.append(trialLine(written, this.#record.version))
    if (!wasPending) return written
    this.#waiting--
    if (this.#waiting === 0 && this.#pending.length > PENDING_KEPT)
      await this.#pending.clear(() => this.#waiting === 0)
    return written
  }

  /** Records an answer that has arrived and is not graded yet. All of it is masked already. */
  async appendPending(pending: unknown): Promise<void> {
    this.#waiting++
    await this.#pending.append(checkedLine(pending, this.#record.version))
  }

  /** Closes the folder; a complete run has no use for the pending file. */
  async close(complete: boolean): Promise<void> {
    try {
      await this.#trials.close()
      await this.#pending.close()
      if (complete) rmSync(join(this.path, PENDING_FILE), { force: true })
    } finally {
      this.#lock.release()
    }
  }
}

/** Refuses a folder that would have us write elsewhere or wait for ever, before anything in it is changed. */
function checkOwn(path: string): void {
  for (const file of [RUN_FILE, LOCK_FILE, HEARTBEAT_FILE, TRIALS_FILE, PENDING_FILE])
    checkOwnFile(join(path, file))
  for (const folder of [BLOBS_FOLDER, WORKSPACES_FOLDER]) checkOwnFolder(join(path, folder))
}

/** Makes the folder, or one beside it: two runs that start in one second must not meet in one. */
export function freeFolder(path: string): string {
  try {
    makeFolder(dirname(resolve(path)))
    for (let n = 1; ; n++) {
      const free = n === 1 ? path : `${path}-${n}`
      if (isMade(free)) return free
    }
  } catch (error) {
    throw new UsageError(`cannot make the run folder ${path}: ${(error as Error).message}`)
  }
}

/** Whether the folder is ours: made now, by nobody else. */
function isMade(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Whether there is a run in the folder. Whatever is called run.json and is no file would block its reader. */
export function isRunFolder(path: string): boolean {
  try {
    return statSync(join(path, RUN_FILE)).isFile()
  } catch {
    return false
  }
}

/** Like mkdir -p. Node's own recursive mkdir never returns below /proc, where it takes ENOENT for a missing parent. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path)
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
