/**
 * A run folder that is open for writing. It contains the lock, `run.json`, the trial log, the answers that are not
 * graded yet, and the blobs (large texts in files of their own). Texts that came from outside are masked before they
 * are written (masked.ts).
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import {
  type Answer,
  type Text,
  type Trial,
  RunError,
  UsageError,
  shellPath,
} from '@assay/contract'
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
  writeRecord,
  type ReadOptions,
  type Revision,
  type RunRecord,
} from './run-record.ts'
import { RUN_FILE } from './not-a-run.ts'
import type { Plan } from './tally/plan.ts'
import {
  removeUnfinishedIndex,
  storedTrials,
  writeIndex,
  type RecordedTrials,
  type StoredTrials,
} from './trial-index/index-file.ts'
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
/** The name of the folder for workspaces that the user asked to keep. */
export const WORKSPACES_FOLDER = 'workspaces'

/**
 * The pending file (answers that are not graded yet) is emptied only if it has more bytes than this. Emptying it needs
 * a system call, which costs too much for a smaller file.
 */
const PENDING_KEPT = 1_000_000

/** Callbacks that get the contents of a resumed run. They are called in the order of these fields. */
export interface Recorded {
  readonly trial: (trial: Trial) => void
  /** Called with the intact part of a damaged line: the trial without its grades. */
  readonly answered?: (trial: AnsweredTrial) => void
  /** Called with an answer that is not graded yet. Returns whether the answer is still needed. */
  readonly pending: (pending: unknown) => boolean
}

/** Called with a trial as it was written, and the offset of its line in the log. */
export type OnRecorded = (trial: Trial, start: number) => void

export interface ResumeOptions extends ReadOptions {
  readonly lock?: LockOptions
}

export class RunFolder {
  readonly path: string
  readonly blobs: Blobs
  /** Masks the secrets in a text. */
  readonly redact: Redact
  readonly #lock: Lock
  readonly #secrets: readonly string[]
  /**
   * The masked form of each answer. It is kept because an answer is written twice: when it arrives and when it is
   * graded.
   */
  readonly #masked = new WeakMap<Answer, MaskedAnswer>()
  readonly #trials: LineFile
  readonly #pending: LineFile
  #record: RunRecord
  /** The number of answers in the pending file whose trial is not in the log yet. */
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

  /** Starts a new run in a folder that is empty or does not exist yet. */
  static create(path: string, record: RunRecord, secrets: readonly string[]): RunFolder {
    let isEmpty: boolean
    try {
      makeFolder(resolve(path))
      isEmpty = readdirSync(path).length === 0
    } catch (error) {
      throw new UsageError(
        `cannot make the run folder ${path}: ${(error as Error).message}. Choose another one with -o`,
      )
    }
    if (!isEmpty)
      throw new UsageError(
        `${path} is not empty. Choose another folder, or continue the run in it with --resume ${shellPath(path)}`,
      )
    let lock: Lock
    try {
      lock = Lock.take(path)
      writeRecord(path, maskedRecord(record, redactor(secrets)))
    } catch (error) {
      // No trial has started yet, so the error is about the folder that the user chose.
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

  /** Opens an existing run to continue it, and reads its log. If the run's lock may be stale, waits to find out. */
  static async resume(
    path: string,
    secrets: readonly string[],
    recorded: Recorded,
    options: ResumeOptions = {},
  ): Promise<{ folder: RunFolder; read: TrialsRead; damagedAnswers: number }> {
    checkOwn(path)
    // `readRecord` throws if the folder contains no run. It is called first, so that no lock is created in such a
    // folder.
    readRecord(path, options)
    const lock = await Lock.takeOver(path, options.lock)
    try {
      const record = readRecord(path, options)
      if (record.ended === null) {
        removeUnfinishedRecord(path)
        removeUnfinishedIndex(path)
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

  /** Rewrites run.json with a new revision of the plan, new waits for providers, or the way the run ended. */
  update(
    change: Partial<Pick<RunRecord, 'revisions' | 'ended' | 'waits' | 'stoppedUsd' | 'askedAgain'>>,
  ): void {
    this.#record = maskedRecord({ ...this.#record, ...change }, this.redact)
    writeRecord(this.path, this.#record)
  }

  /** Returns a revision as it would be recorded, with secrets masked. */
  maskedRevision(revision: Revision): Revision {
    return maskedRevision(revision, this.redact)
  }

  /** Returns the answer with secrets masked, and the names of the parts that masking changed. */
  maskedAnswer(answer: Answer): MaskedAnswer {
    if (!masksAnything(this.#secrets)) return { answer, masked: [] }
    let masked = this.#masked.get(answer)
    if (masked === undefined) {
      masked = maskedAnswer(answer, this.#secrets)
      this.#masked.set(answer, masked)
    }
    return masked
  }

  /**
   * Masks a text and returns it in the form that the log stores: the text itself, or a reference to a blob (a file with
   * a large text) that is on the disk.
   */
  text(text: string): Text | Promise<Text> {
    return this.blobs.put(this.redact(text))
  }

  /**
   * Returns a text that is already masked in the form that the log stores: the text itself, or a reference to a blob (a
   * file with a large text) that is on the disk.
   */
  maskedText(text: string): Text | Promise<Text> {
    return this.blobs.put(text)
  }

  /**
   * Records a finished trial whose answer is masked already. The promise resolves with the trial as it was written,
   * once it is on the disk. Shortly before that, `onRecorded` is called. These calls come in the order of the lines in
   * the log.
   */
  appendTrial(trial: Trial, wasPending: boolean, onRecorded?: OnRecorded): Promise<Trial> {
    const written = masksAnything(this.#secrets) ? maskedTrial(trial, this.redact) : trial
    const line = trialLine(written, this.#record.version)
    const appended = this.#trials.append(line, (start) => onRecorded?.(written, start))
    // This is not an async function, because that would use more memory per call. Hundreds of trials wait here while
    // the disk is busy.
    return (wasPending ? this.#servePending(appended) : appended).then(() => written)
  }

  async #servePending(appended: Promise<void>): Promise<void> {
    await appended
    this.#waiting--
    if (this.#waiting === 0 && this.#pending.length > PENDING_KEPT)
      await this.#pending.clear(() => this.#waiting === 0)
  }

  /** Records an answer that is not graded yet. The caller has masked all of it. */
  async appendPending(pending: unknown): Promise<void> {
    this.#waiting++
    await this.#pending.append(checkedLine(pending, this.#record.version))
  }

  /**
   * Returns what a reader of the log would find. Null if this process did not write the whole log. With a key, also
   * writes the result as the log's index. `recorded` must cover every trial of the log, so no trial may be appended
   * after this call.
   */
  async recorded(
    recorded: Omit<RecordedTrials, 'read'>,
    plan: Plan,
    key: Uint8Array | null,
  ): Promise<StoredTrials | null> {
    await this.#trials.settle()
    const sha256 = this.#trials.digest()
    if (sha256 === null) return null
    const bytes = this.#trials.length
    const { version } = this.#record
    const read = { length: bytes, torn: false, damaged: 0, damagedLines: [], version }
    const all = { ...recorded, read }
    return key === null
      ? storedTrials(plan, all)
      : writeIndex({ folder: this.path, plan, key }, all, { bytes, sha256 })
  }

  /** Closes the folder. If the run is complete, also deletes the pending file, because all answers are graded. */
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

/** Calls `each` with the answers of a run that are not graded yet. Resolves with the number of damaged lines. */
export async function readPending(
  folder: string,
  { version }: RunRecord,
  each: (pending: unknown) => void,
): Promise<number> {
  const path = join(folder, PENDING_FILE)
  return (await readLines(path, (line) => takeCheckedLine(line, version, each))).damaged
}

/**
 * Throws if the folder contains links or special files. It is called before anything in the folder is changed.
 * Otherwise Assay could write to a file outside of the folder, or wait forever for a pipe.
 */
function checkOwn(path: string): void {
  for (const file of [RUN_FILE, LOCK_FILE, HEARTBEAT_FILE, TRIALS_FILE, PENDING_FILE])
    checkOwnFile(join(path, file))
  for (const folder of [BLOBS_FOLDER, WORKSPACES_FOLDER]) checkOwnFolder(join(path, folder))
}

/**
 * Creates the folder and returns its path. If the folder exists, adds a number to its name. Two runs may start in the
 * same second, and each needs its own folder.
 */
export function freeFolder(path: string): string {
  try {
    makeFolder(dirname(resolve(path)))
    for (let n = 1; ; n++) {
      const free = n === 1 ? path : `${path}-${n}`
      if (isMade(free)) return free
    }
  } catch (error) {
    throw new UsageError(
      `cannot make the run folder ${path}: ${(error as Error).message}. Choose another one with -o`,
    )
  }
}

/** Creates the folder. Returns false if it exists already. */
function isMade(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Whether the folder contains a run. A run.json that is not an ordinary file does not count. It could be a pipe, and
 * opening a pipe could block.
 */
export function isRunFolder(path: string): boolean {
  try {
    return statSync(join(path, RUN_FILE)).isFile()
  } catch {
    return false
  }
}

/**
 * Creates a folder and its missing parents. Node's own recursive mkdir never returns for a path in /proc, because it
 * takes the error ENOENT there for a missing parent.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have created the folder in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
