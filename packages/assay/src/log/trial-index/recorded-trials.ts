/**
 * Reads a log into a tally and finds the offset of each trial's line. A large log is parsed only once if the user's key
 * is given: later reads use the signed index of the log (index-file.ts).
 */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { type Trial, RunError } from '@assay/contract'
import { isLocked } from '../lock/lock.ts'
import { openOwn } from '../own-file.ts'
import type { Plan } from '../tally/plan.ts'
import { Tally } from '../tally/tally.ts'
import { readTrials, TRIALS_FILE, trialIn } from '../trial-lines.ts'
import { readIndex, writeIndex, type RecordedTrials } from './index-file.ts'

export const SMALL_RUN = 20_000

export interface ReadingOptions {
  /** Returns the user's key. Without one, no index is read or written. */
  readonly indexKey?: (() => Uint8Array | null) | undefined
  /**
   * The maximum number of trials of a run that gets no index. Reading the log of such a run is as fast as reading an
   * index.
   */
  readonly smallRun?: number
  /**
   * Called with each trial of the plan. If this callback is given, no index is used, because an index does not contain
   * the trials.
   */
  readonly each?: (ordinal: number, trial: Trial) => void
}

/** Reads the log into a tally. */
export async function readRecorded(
  folder: string,
  plan: Plan,
  { indexKey, smallRun = SMALL_RUN, each }: ReadingOptions = {},
): Promise<RecordedTrials> {
  const isLarge = plan.planned > smallRun
  const key = (isLarge && each === undefined ? indexKey?.() : null) ?? null
  const index = key === null ? null : { folder, plan, key }
  const known = index === null ? null : readIndex(index)
  if (known !== null) return known
  const tally = new Tally(plan)
  const starts = noStarts(plan)
  const hash = createHash('sha256')
  let bytes = 0
  const read = await readTrials(
    folder,
    (trial, start) => {
      const ordinal = tally.add(trial)
      if (ordinal === null) return
      starts[ordinal] = start
      each?.(ordinal, trial)
    },
    // The money for a damaged line was spent too. This part of the line is intact, and it contains the cost.
    ({ cost }) => tally.spendOnLine(cost.spentUsd),
    index === null
      ? undefined
      : (piece) => {
          hash.update(piece)
          bytes += piece.length
        },
  )
  const recorded = { tally, starts, read }
  // No index is written while another process is still writing the log, because the index would be out of date at once.
  if (index !== null && bytes > 0 && !isLocked(folder))
    writeIndex(index, recorded, { bytes, sha256: hash.digest('hex') })
  return recorded
}

export const noStarts = ({ planned }: Plan): Float64Array => new Float64Array(planned).fill(-1)

/** The number of bytes that are read at once. If a line is longer, more are read. */
const PIECE = 1 << 14

/**
 * Calls `each` with the trials at these ordinals (positions in the plan), in the order of their lines. Skips the lines
 * in between.
 */
export function readTrialsAt(
  folder: string,
  { tally: { plan }, starts, read: { version } }: RecordedTrials,
  ordinals: readonly number[],
  each: (trial: Trial) => void,
): void {
  const known = ordinals.filter((ordinal) => (starts[ordinal] as number) >= 0)
  if (known.length === 0) return
  known.sort((a, b) => (starts[a] as number) - (starts[b] as number))
  const fd = openOwn(join(folder, TRIALS_FILE))
  try {
    for (const ordinal of known) {
      const trial = trialIn(lineAt(fd, starts[ordinal] as number), version ?? 1)
      if (trial === null || plan.ordinalOf(trial) !== ordinal)
        throw new RunError(
          `${join(folder, TRIALS_FILE)} was changed while it was read. Once nothing writes to it, try again`,
        )
      each(trial)
    }
  } finally {
    closeSync(fd)
  }
}

const NEWLINE = 0x0a
const RETURN = 0x0d

function lineAt(fd: number, start: number): Buffer {
  const most = Math.max(0, fstatSync(fd).size - start)
  for (let size = Math.min(PIECE, most); ; size = Math.min(4 * size, most)) {
    const bytes = Buffer.allocUnsafe(size)
    const line = bytes.subarray(0, readSync(fd, bytes, 0, size, start))
    const end = line.indexOf(NEWLINE)
    if (end === -1 && size < most) continue
    const ended = end === -1 ? line : line.subarray(0, end)
    return ended.at(-1) === RETURN ? ended.subarray(0, -1) : ended
  }
}
