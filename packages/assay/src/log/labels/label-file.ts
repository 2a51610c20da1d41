/**
 * `labels.jsonl` in a run folder: one line per label, each with a checksum. A label is a person's review of one answer.
 * Only the commands and pages for reviewing write this file; the log is never changed. Each line is added with one
 * write and synced before the call returns. Several programs can write at the same time, because the system puts each
 * write at the end of the file.
 */
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  LABEL_LIMITS,
  LABEL_PICKS,
  LABEL_VERDICTS,
  pickAfter,
  RunError,
  type Label,
} from '@assay/contract'
import { checkedLine, takeCheckedLine } from '../checked-line.ts'
import { openOwn } from '../own-file.ts'
import { readLines, type LinesRead } from '../read-lines.ts'
import { flag, oneOf, table, text, whole, type Check } from '../shape.ts'

export const LABELS_FILE = 'labels.jsonl'

/**
 * The maximum number of labels that are read. People give far fewer, but an untrusted folder may contain a file with
 * any number of lines.
 */
const MOST_LABELS = 200_000
const VERSION = 1
/** The version of the log that is passed to `checkedLine`, so that every label line has a checksum. */
const CHECKED = 2
const NEWLINE = 0x0a

export interface LabelsRead extends Pick<LinesRead, 'torn' | 'damaged' | 'damagedLines'> {
  /** The last label that each person gave on each trial, in the order in which the labels were given. */
  readonly labels: readonly Label[]
  /** The labels that the person who gave them has withdrawn. */
  readonly withdrawn: readonly Label[]
  /** The number of labels that a later label of the same person on the same trial replaced. */
  readonly replaced: number
  /** The number of lines beyond the limit, which are not read. */
  readonly unread: number
}

const shortText =
  (most: number, least = 0): Check =>
  (value) =>
    text(value) ??
    ((value as string).length <= most && (value as string).length >= least
      ? null
      : { path: [], expected: `text of ${least} to ${most} characters` })

const labelShape: Check = table({
  assay: oneOf('label'),
  version: oneOf(VERSION),
  suite: text,
  case: text,
  subject: text,
  index: whole(0),
  answer: shortText(64),
  reviewer: shortText(LABEL_LIMITS.reviewer, 1),
  verdict: oneOf(...LABEL_VERDICTS),
  note: shortText(LABEL_LIMITS.note),
  blind: flag,
  picked: oneOf(...LABEL_PICKS),
  at: shortText(40),
})

/** Returns a key that identifies a trial and a reviewer. */
export const labelKey = ({ suite, case: one, subject, index, reviewer }: Label): string =>
  JSON.stringify([suite, one, subject, index, reviewer])

/** Reads the labels of a run. If the run has no label file, there are no labels. */
export async function readLabels(folder: string): Promise<LabelsRead> {
  const last = new Map<string, Label>()
  let lines = 0
  let unread = 0
  const read = await readLines(join(folder, LABELS_FILE), (bytes) => {
    if (lines >= MOST_LABELS) {
      unread++
      return null
    }
    let isLabel = true
    const fault = takeCheckedLine(bytes, CHECKED, (value) => {
      isLabel = labelShape(value) === null
      if (!isLabel) return
      lines++
      const {
        assay: _,
        version: _v,
        ...label
      } = value as Label & { assay: string; version: number }
      const key = labelKey(label)
      // A label that replaces an earlier one moves to the end, because the labels are in the order in which they were
      // given.
      const earlier = last.get(key)
      last.delete(key)
      const isSameAnswer = earlier?.answer === label.answer
      last.set(key, isSameAnswer ? { ...label, picked: pickAfter(earlier, label) } : label)
    })
    return fault ?? (isLabel ? null : { parses: true, trial: null })
  })
  const { torn, damaged, damagedLines } = read
  const all = [...last.values()]
  const labels = all.filter(({ verdict }) => verdict !== 'withdrawn')
  const withdrawn = all.filter(({ verdict }) => verdict === 'withdrawn')
  return { labels, withdrawn, replaced: lines - last.size, torn, damaged, damagedLines, unread }
}

/** Adds labels to a run's label file. When this function returns, they are on the disk. */
export function appendLabels(folder: string, labels: readonly Label[]): void {
  if (labels.length === 0) return
  const lines = labels.map((label) =>
    checkedLine({ assay: 'label', version: VERSION, ...label }, CHECKED),
  )
  appendLines(folder, lines)
}

function appendLines(folder: string, lines: readonly string[]): void {
  const path = join(folder, LABELS_FILE)
  try {
    const fd = openOwn(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT)
    try {
      const { size } = fstatSync(fd)
      const last = Buffer.alloc(1)
      if (size > 0) readSync(fd, last, 0, 1, size - 1)
      // If the last line is incomplete, a newline separates it from the new lines. Otherwise the first new line would
      // be unreadable too.
      const isCut = size > 0 && last[0] !== NEWLINE
      const bytes = Buffer.from(`${isCut ? '\n' : ''}${lines.join('\n')}\n`)
      if (writeSync(fd, bytes) < bytes.length) throw new Error('no space left on the disk')
      fdatasyncSync(fd)
      if (size === 0) syncFolder(folder)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    throw new RunError(`cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** Syncs the folder, so that the name of a new file survives a crash. Not every system can sync a folder. */
function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {
    // The folder cannot be synced. The content of the file is synced anyway.
  }
}

/**
 * Copies labels to a run from other runs with the same answers. These are the run whose answers are graded again, or
 * the runs that were merged. A label identifies its answer by a hash, so it counts only if the answer is the same.
 */
export async function copyLabels(to: string, from: readonly string[]): Promise<void> {
  for (const folder of from) {
    const { labels } = await readLabels(folder)
    appendLabels(to, labels)
  }
}
