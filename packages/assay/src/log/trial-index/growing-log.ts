/**
 * Reads a log that another process is writing. Each call reads only the lines that were added since the last call, so
 * that a page can follow a run of any length. The whole log is read again if the file was replaced, became shorter, or
 * changed just before the position that was reached. Other changes to lines that were already read are not noticed. A
 * caller that needs certainty must read the whole log once the run has ended.
 */
import { closeSync, fstatSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Trial } from '@assay/contract'
import { openOwn } from '../own-file.ts'
import type { DamagedLine } from '../read-lines.ts'
import type { Plan } from '../tally/plan.ts'
import { Tally } from '../tally/tally.ts'
import { readTrials, TRIALS_FILE, type TrialsPosition } from '../trial-lines.ts'
import type { RecordedTrials } from './index-file.ts'
import { noStarts } from './recorded-trials.ts'

/**
 * The number of bytes before the position that are compared with the bytes read earlier. A difference means that the
 * log was rewritten.
 */
const TAIL = 512
/** The maximum number of damaged lines that are listed. It is the same when the whole log is read at once. */
const MOST_NAMED = 20

interface Progress {
  readonly position: TrialsPosition
  readonly tally: Tally
  readonly starts: Float64Array
  readonly damagedLines: DamagedLine[]
  damaged: number
  inode: number
  tail: Buffer
}

export class GrowingLog {
  readonly #folder: string
  readonly #plan: Plan
  /** Called before the log is read from its beginning, whether for the first time or again. */
  readonly #restart: () => void
  readonly #each: (ordinal: number, trial: Trial) => void
  #progress: Progress | null = null

  constructor(
    folder: string,
    plan: Plan,
    each: (ordinal: number, trial: Trial) => void,
    restart: () => void,
  ) {
    this.#folder = folder
    this.#plan = plan
    this.#each = each
    this.#restart = restart
  }

  /** Reads the log up to its current end and returns the result. The arrays of earlier results are updated in place. */
  async advance(): Promise<RecordedTrials> {
    const before = this.#progress
    const now = before === null ? null : stateAt(this.#folder, before.position.offset)
    const goesOn =
      before !== null &&
      now !== null &&
      now.inode === before.inode &&
      now.size >= before.position.offset &&
      now.tail.equals(before.tail)
    if (!goesOn) this.#restart()
    const progress = goesOn ? before : newProgress(this.#plan)
    const { position, tally, starts, damagedLines } = progress
    // The progress is cleared first. So if reading fails midway, the next call starts again from the beginning.
    this.#progress = null
    const read = await readTrials(
      this.#folder,
      (trial, start) => {
        const ordinal = tally.add(trial)
        if (ordinal === null) return
        starts[ordinal] = start
        this.#each(ordinal, trial)
      },
      ({ cost }) => tally.spendOnLine(cost.spentUsd),
      undefined,
      position,
    )
    const { inode = 0, tail = Buffer.alloc(0) } = stateAt(this.#folder, position.offset) ?? {}
    progress.inode = inode
    progress.tail = tail
    progress.damaged += read.damaged
    damagedLines.push(...read.damagedLines.slice(0, MOST_NAMED - damagedLines.length))
    this.#progress = progress
    const { version, length, torn } = read
    const { damaged } = progress
    return {
      tally,
      starts,
      read: { version, length, torn, damaged, damagedLines: [...damagedLines] },
    }
  }
}

const newProgress = (plan: Plan): Progress => ({
  position: { offset: 0, line: 0, version: null },
  tally: new Tally(plan),
  starts: noStarts(plan),
  damagedLines: [],
  damaged: 0,
  inode: 0,
  tail: Buffer.alloc(0),
})

/** Opens the log and returns its state. Null if there is no log. */
function stateAt(
  folder: string,
  offset: number,
): { inode: number; size: number; tail: Buffer } | null {
  let fd: number
  try {
    fd = openOwn(join(folder, TRIALS_FILE))
  } catch {
    return null
  }
  try {
    const { ino, size } = fstatSync(fd)
    const from = Math.max(0, offset - TAIL)
    const tail = Buffer.alloc(offset - from)
    const length = tail.length === 0 ? 0 : readSync(fd, tail, 0, tail.length, from)
    return { inode: ino, size, tail: tail.subarray(0, length) }
  } finally {
    closeSync(fd)
  }
}
