/**
 * Merges the runs of the parts of a plan into one run folder. The result is the same as a run on one machine, except
 * that its record lists the runs that were merged. The folders of the parts are not changed.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { plain, RunError, UsageError, type Identity, type Text, shellPath } from '@assay/contract'
import {
  Blobs,
  copyLabels,
  freeFolder,
  lastRevision,
  partIndex,
  pendingShape,
  Plan,
  readPending,
  readTrials,
  RunFolder,
  WORKSPACES_FOLDER,
  type Ending,
  type ReadOptions,
  type RunRecord,
} from '../log/index.ts'
import { readParts, type Part } from './check-parts.ts'
import { chooseLines, collectTexts, type ChosenLines, type StoredText } from './choose-lines.ts'
import { mergedRecord } from './merged-record.ts'

export interface MergeOptions extends ReadOptions {
  /** The run folders of the parts. */
  readonly parts: readonly string[]
  /** The folder of the merged run. It must be new or empty. */
  readonly folder: string
  /** If true and `folder` exists already, the next free name is used: `folder-2`, `folder-3` and so on. */
  readonly freeName?: boolean
  /** Returns the time of the merge in milliseconds. The merged run gets it as its start time. */
  readonly now?: () => number
}

/** A part that has missing trials. */
export interface MissingPart {
  readonly index: number
  readonly of: number
  /** The folders of the part's runs. Empty if no run of the part was given. */
  readonly folders: readonly string[]
  readonly missing: number
  readonly planned: number
}

export interface MergedParts {
  readonly folder: string
  readonly record: RunRecord
  readonly ended: Ending
  readonly planned: number
  /** The parts with missing trials. */
  readonly missing: readonly MissingPart[]
  /** The first missing trials. At most 20 are listed. */
  readonly missingTrials: readonly Identity[]
  /**
   * The number of trials that several runs of the same part have. The next field counts how many of these have
   * different outcomes or scores.
   */
  readonly twice: number
  readonly differing: number
  /** The number of answers that were paid for but are not graded yet. Resuming the merged run grades them. */
  readonly ungraded: number
  /** Messages for the user about the parts. */
  readonly warnings: readonly string[]
}

/** The maximum number of missing trials that are listed. */
const MOST_LISTED = 20

/** Merges the parts. If they do not fit together or one of them is damaged, throws and leaves no folder. */
export async function mergeParts(options: MergeOptions): Promise<MergedParts> {
  if (options.parts.length === 0) throw new UsageError('name the run folders of the parts to merge')
  const parts = readParts(options.parts, options)
  const [first] = parts as [Part, ...Part[]]
  const { suites, subjects } = lastRevision(first.record)
  const plan = new Plan(
    suites,
    subjects.map(({ id }) => ({ id, pool: '' })),
    1,
  )
  const chosen = await chooseLines(parts, plan)
  const pending = await pendingAnswers(parts, plan, chosen)
  const { missing, missingTrials } = missingIn(parts, plan, chosen)
  const ended = endingOf(parts, missing.length > 0)
  const at = new Date(options.now?.() ?? Date.now()).toISOString()
  const record = mergedRecord(parts, { id: randomUUID(), ended, at })
  const wasThere = options.freeName !== true && existsSync(options.folder)
  const path = options.freeName === true ? freeFolder(options.folder) : options.folder
  const folder = RunFolder.create(path, { ...record, ended: null }, [])
  try {
    await copyTexts(folder, parts, chosen, pending)
    await copyLines(folder, parts, plan, chosen)
    for (const answer of pending) await folder.appendPending(answer.value)
    await copyLabels(
      path,
      parts.map((part) => part.folder),
    )
    folder.update({ ended: record.ended })
    await folder.close(ended === 'complete' && !chosen.errored.includes(1))
  } catch (error) {
    await folder.close(false).catch(() => {})
    rmSync(path, { recursive: true, force: true })
    if (wasThere) mkdirSync(path)
    throw error
  }
  return {
    folder: path,
    record: folder.record,
    ended,
    planned: plan.planned,
    missing,
    missingTrials,
    twice: chosen.twice,
    differing: chosen.differing,
    ungraded: pending.length,
    warnings: [
      ...chosen.torn.map(
        (one) => `the last line of the log of ${plain(one)} was cut short; that trial is missing`,
      ),
      ...parts.flatMap(({ folder: one }) =>
        existsSync(join(one, WORKSPACES_FOLDER))
          ? [`the folders that agents worked in stay in ${plain(join(one, WORKSPACES_FOLDER))}`]
          : [],
      ),
    ],
  }
}

interface PendingAnswer {
  readonly value: unknown
  readonly part: Part
}

/**
 * Returns the answers that are not graded yet and whose trial is in no log. If a trial has several such answers, the
 * last one counts.
 */
async function pendingAnswers(
  parts: readonly Part[],
  plan: Plan,
  { owner, errored }: ChosenLines,
): Promise<PendingAnswer[]> {
  const answers = new Map<number, PendingAnswer>()
  for (const part of parts) {
    const damaged = await readPending(part.folder, part.record, (value) => {
      if (pendingShape(value) !== null) return
      const identity = value as Identity & { readonly caseHash: string }
      const ordinal = plan.ordinalOf(identity)
      if (ordinal === null || plan.cellAt(ordinal).case.hash !== identity.caseHash) return
      if (owner[ordinal] === -1 || errored[ordinal] === 1) answers.set(ordinal, { value, part })
    })
    if (damaged > 0)
      throw new RunError(
        `${plain(part.folder)}: answers that waited for their grade are damaged: ${damaged}. Go on with assay run --resume ${shellPath(part.folder)}, then merge. Nothing was merged`,
      )
  }
  return [...answers.values()]
}

function missingIn(
  parts: readonly Part[],
  plan: Plan,
  { owner }: ChosenLines,
): Pick<MergedParts, 'missing' | 'missingTrials'> {
  const [{ shard }] = parts as [Part, ...Part[]]
  const { of } = shard
  const missingTrials: Identity[] = []
  const planned = new Uint32Array(of)
  const missing = new Uint32Array(of)
  for (const cell of plan.cells) {
    const identity = { suite: cell.suite.id, case: cell.case.id, subject: cell.subject.id }
    const partOf = partIndex(of, identity)
    for (let index = 0; index < cell.trials; index++) {
      const part = partOf(index)
      ;(planned[part] as number)++
      if (owner[cell.first + index] !== -1) continue
      ;(missing[part] as number)++
      if (missingTrials.length < MOST_LISTED) missingTrials.push({ ...identity, index })
    }
  }
  return {
    missingTrials,
    missing: [...missing].flatMap((count, i) => {
      const folders = parts.filter((one) => one.shard.index === i + 1).map((one) => one.folder)
      return count === 0
        ? []
        : [{ index: i + 1, of, folders, missing: count, planned: planned[i] as number }]
    }),
  }
}

/**
 * Returns how the merged run ended. It is complete if no trials are missing and no part was partial or failed.
 * Otherwise it ended like the part that ended worst.
 */
function endingOf(parts: readonly Part[], isLacking: boolean): Ending {
  const endings = new Set(parts.map(({ record }) => record.ended?.how ?? 'interrupted'))
  // If another run of the same part has all its trials, it does not matter that a part stopped early.
  if (!isLacking && !endings.has('partial') && !endings.has('failed')) return 'complete'
  for (const how of ['failed', 'partial', 'budget'] as const) if (endings.has(how)) return how
  return 'interrupted'
}

/** Copies the stored texts. Each text is read through a function that checks its hash. */
async function copyTexts(
  folder: RunFolder,
  parts: readonly Part[],
  { texts }: ChosenLines,
  pending: readonly PendingAnswer[],
): Promise<void> {
  const copy = async (part: Part, text: Text): Promise<void> => {
    let content: string
    try {
      content = await new Blobs(join(part.folder, 'blobs')).read(text)
    } catch (error) {
      throw new RunError(
        `a text of ${plain(part.folder)} cannot be read: ${(error as Error).message}. Nothing was merged`,
        { cause: error },
      )
    }
    await folder.blobs.store(content)
  }
  const [first] = parts as [Part, ...Part[]]
  for (const { text } of lastRevision(first.record).suites)
    if (typeof text !== 'string') await copy(first, text)
  for (const [blob, { bytes, part }] of texts) await copy(part, { blob, bytes })
  const waiting = new Map<string, StoredText>()
  for (const { value, part } of pending) collectTexts(value, part, waiting)
  for (const [blob, { bytes, part }] of waiting) await copy(part, { blob, bytes })
}

/**
 * Copies all lines, so that the money of every line is counted. If a trial has several lines, the last one counts. So
 * the chosen lines are written last.
 */
async function copyLines(
  folder: RunFolder,
  parts: readonly Part[],
  plan: Plan,
  { owner, start, logs }: ChosenLines,
): Promise<void> {
  const perPart = new Uint32Array(parts.length)
  for (const position of owner) if (position !== -1) (perPart[position] as number)++
  for (const isChosen of [false, true])
    for (const [position, part] of parts.entries()) {
      const { lines, bytes } = logs[position] as ChosenLines['logs'][number]
      if (!isChosen && lines === perPart[position]) continue
      let written: Promise<unknown> = Promise.resolve()
      const read = await readTrials(
        part.folder,
        (trial, at) => {
          const ordinal = plan.ordinalOf(trial)
          const counts = ordinal !== null && owner[ordinal] === position && start[ordinal] === at
          if (counts === isChosen) written = folder.appendTrial(trial, false)
        },
        undefined,
        // Waits until the lines of the previous chunk are written, so that a large log is never in memory as a whole.
        async () => void (await written),
      )
      await written
      if (read.length !== bytes)
        throw new RunError(
          `${plain(part.folder)} was changed while it was read. Nothing was merged`,
        )
    }
}
