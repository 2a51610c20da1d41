/**
 * The runs that the workbench shows: finds their folders, keeps the index up to date in the background, and keeps the
 * runs that were read last in memory. Everything is read from the run folders, and nothing is written to them here.
 */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { indexKey } from '../environment/index.ts'
import { readRecord, readRunHead, type RunRecord } from '../log/index.ts'
import { makeViewParts, readRun, type Report, type RunReport } from '../report/index.ts'
import type {
  CaseEntry,
  CaseHistory,
  RunFigure,
  RunHead,
  RunList,
  RunRow,
  ViewData,
} from '../report/view-data/index.ts'
import type { FoundRuns } from './find-runs.ts'
import type { IndexedCell, IndexedRow, RunIndex } from './run-index.ts'
import { runStamp, type RunStamp } from './run-stamp.ts'
import { readTags } from './tags.ts'

export interface StoreOptions {
  /** Finds the run folders. It is called again for each list. */
  readonly find: () => FoundRuns
  readonly index: RunIndex
  /** The folder that paths are shown relative to. */
  readonly from?: string
}

/** A run that was read, with the parts that the pages show. */
export interface OpenRun {
  readonly stamp: string
  readonly source: RunReport
  readonly parts: Omit<ViewData, 'trials'>
}

interface KnownRun {
  readonly key: string
  readonly folder: string
}

/** The runs that are kept in memory: at most this many, and at most this many planned trials in all. */
const MOST_OPEN = 6
const MOST_TRIALS = 2_000_000
/** The folders that were found this recently are not searched for again to answer a single request. */
const FRESH_MS = 250

export class RunStore {
  readonly #options: StoreOptions
  readonly #open = new Map<string, { readonly stamp: string; readonly run: Promise<OpenRun> }>()
  #known: { readonly at: number; readonly runs: readonly KnownRun[]; notes: readonly string[] } = {
    at: Number.NEGATIVE_INFINITY,
    runs: [],
    notes: [],
  }
  #reading: Promise<void> | null = null
  #isClosed = false

  constructor(options: StoreOptions) {
    this.#options = options
  }

  /** Returns every run, newest first. Runs whose logs are still to be read have no figures yet. */
  list(): RunList {
    const { runs, notes } = this.#find(true)
    const unread: KnownRun[] = []
    const rows = runs.flatMap((known) => {
      const stamp = runStamp(known.folder)
      if (stamp === null) return []
      const row = this.#options.index.row(known.folder, stamp.text)
      if (row === null) unread.push(known)
      return [this.#row(known, row ?? unreadRow(known.folder, stamp))]
    })
    if (unread.length > 0) this.#readInBackground(unread)
    const newest = (a: RunRow, b: RunRow): number =>
      byText(b.createdAt ?? '', a.createdAt ?? '') || byText(b.folder, a.folder)
    return { runs: rows.toSorted(newest), pending: unread.length, notes }
  }

  /** Returns the folder of a run; null if there is no such run. A path is never taken from a request. */
  folderOf(key: string): string | null {
    const found =
      this.#known.runs.find((one) => one.key === key) ??
      this.#find(true).runs.find((one) => one.key === key)
    return found?.folder ?? null
  }

  keyOf(folder: string): string | null {
    return this.#find().runs.find((one) => one.folder === resolve(folder))?.key ?? null
  }

  /** Reads a run, or returns it from memory if nothing in its folder has changed. Throws if it cannot be read. */
  async open(folder: string): Promise<OpenRun> {
    const stamp = runStamp(folder)
    const known = this.#open.get(folder)
    if (stamp !== null && known?.stamp === stamp.run) {
      // The runs that were used last are at the end.
      this.#open.delete(folder)
      this.#open.set(folder, known)
      return known.run
    }
    const run = readOpenRun(folder, stamp)
    const entry = { stamp: stamp?.run ?? '', run }
    this.#open.delete(folder)
    this.#open.set(folder, entry)
    try {
      const opened = await run
      await this.#forgetSome()
      return opened
    } catch (error) {
      if (this.#open.get(folder) === entry) this.#open.delete(folder)
      throw error
    }
  }

  /** Returns what the page of a run shows first. */
  async head(key: string, folder: string): Promise<RunHead> {
    const opened = await this.open(folder)
    const { stamps, notes, report, leftOut } = opened.parts
    const stamp = runStamp(folder)
    const row = this.#row({ key, folder }, indexedRow(opened.source, stamp?.isRunning ?? false))
    return { row, stamps, notes, report, leftOut }
  }

  /** Returns the figures of a run, and its row. */
  async report(key: string, folder: string): Promise<{ row: RunRow; report: Report }> {
    const { source } = await this.open(folder)
    return { row: this.#row({ key, folder }, indexedRow(source, false)), report: source.report }
  }

  /** Returns a case in every run that was read so far, oldest first. */
  history(suite: string, one: string): CaseHistory {
    const { runs, pending } = this.list()
    const rows = new Map(runs.map((row) => [this.folderOf(row.key), row]))
    const entries = this.#options.index.cellsOf(suite, one).flatMap((cell) => {
      const row = rows.get(cell.path)
      if (row === undefined) return []
      const { key, folder, title, createdAt, state } = row
      const run = { key, folder, title, createdAt, state }
      return [{ run, subject: cell.subject, outcomes: cell.outcomes, hash: cell.hash }]
    })
    const oldest = (a: CaseEntry, b: CaseEntry): number =>
      byText(a.run.createdAt ?? '', b.run.createdAt ?? '') || byText(a.subject, b.subject)
    return { suite, case: one, entries: entries.toSorted(oldest), pending }
  }

  /** Resolves when no log is being read. */
  async settled(): Promise<void> {
    await this.#reading
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#reading
    this.#options.index.close()
  }

  #find(again = false): { runs: readonly KnownRun[]; notes: readonly string[] } {
    const now = performance.now()
    if (!again && now - this.#known.at < FRESH_MS) return this.#known
    const { folders, notes } = this.#options.find()
    this.#known = { at: now, runs: named(folders.map((folder) => resolve(folder))), notes }
    return this.#known
  }

  #row({ key, folder }: KnownRun, row: IndexedRow): RunRow {
    return { key, folder: shownPath(folder, this.#options.from ?? process.cwd()), ...row }
  }

  #readInBackground(runs: readonly KnownRun[]): void {
    this.#reading ??= this.#readAll(runs).finally(() => {
      this.#reading = null
    })
  }

  async #readAll(runs: readonly KnownRun[]): Promise<void> {
    for (const { folder } of runs) {
      if (this.#isClosed) return
      const stamp = runStamp(folder)
      if (stamp === null) continue
      // One run after another, because each can take much memory.
      const { row, cells } = await indexed(folder, stamp)
      this.#options.index.put(folder, stamp.text, row, cells)
    }
  }

  /** Removes the runs that were not used for the longest time. */
  async #forgetSome(): Promise<void> {
    let left = MOST_TRIALS
    let kept = 0
    for (const [folder, { run }] of [...this.#open].reverse()) {
      const planned = (await run.catch(() => null))?.source.report.counts.planned ?? 0
      left -= planned
      kept++
      if (kept > 1 && (kept > MOST_OPEN || left < 0)) this.#open.delete(folder)
    }
  }
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

async function readOpenRun(folder: string, stamp: RunStamp | null): Promise<OpenRun> {
  const source = await readRun(folder, { indexKey })
  const parts = makeViewParts(source, source.outcomesOf)
  return { stamp: stamp?.run ?? '', source, parts }
}

async function indexed(
  folder: string,
  stamp: RunStamp,
): Promise<{ row: IndexedRow; cells: Iterable<IndexedCell> }> {
  try {
    const source = await readRun(folder, { indexKey })
    return { row: indexedRow(source, stamp.isRunning), cells: cellsIn(source) }
  } catch (error) {
    const row = unreadRow(folder, stamp)
    return { row: { ...row, state: 'unreadable', fault: (error as Error).message }, cells: [] }
  }
}

function* cellsIn({ report, outcomesOf }: RunReport): Generator<IndexedCell> {
  for (const { suite, subject, cases } of report.subjects)
    for (const { case: one, caseHash } of cases)
      yield { suite, case: one, subject, hash: caseHash, outcomes: outcomesOf(suite, one, subject) }
}

function indexedRow({ record, report, folder }: RunReport, isRunning: boolean): IndexedRow {
  return {
    createdAt: record.createdAt,
    endedAt: isRunning ? null : (record.ended?.at ?? null),
    state: isRunning ? 'running' : (record.ended?.how ?? 'stopped'),
    fault: null,
    title: titleOf(record),
    tags: readTags(folder),
    figures: {
      counts: report.counts,
      spentUsd: report.spentUsd,
      subjects: report.subjects.map(({ suite, subject, source, counts, passRate }): RunFigure => ({
        suite,
        subject,
        source,
        c: counts.passed,
        n: counts.passed + counts.failed,
        rate: passRate.value,
        low: passRate.interval?.low ?? null,
        high: passRate.interval?.high ?? null,
      })),
    },
  }
}

/** The row of a run whose log was not read yet. Only its record is read. */
function unreadRow(folder: string, { isRunning }: RunStamp): IndexedRow {
  const head = readRunHead(folder)
  let record: RunRecord | null = null
  try {
    record = readRecord(folder, { acceptEdited: true })
  } catch {
    // The reason is reported when the log is read.
  }
  return {
    createdAt: head?.createdAt ?? null,
    endedAt: record?.ended?.at ?? null,
    state: isRunning ? 'running' : (record?.ended?.how ?? 'stopped'),
    fault: null,
    title: record === null ? '' : titleOf(record),
    tags: readTags(folder),
    figures: null,
  }
}

/** The name of the experiment, or the names of the suites. */
function titleOf({ revisions }: RunRecord): string {
  // A run that has just begun has no plan yet.
  const { experiment, suites } = revisions.at(-1) ?? { suites: [] }
  if (experiment?.name != null) return experiment.name
  return suites.map(({ id, name }) => (name === '' ? id : name)).join(', ')
}

/** A path as commands accept it: relative if it is below the folder that the user works in. */
function shownPath(folder: string, from: string): string {
  const path = relative(from, folder)
  return path === '' || path === '..' || path.startsWith(`..${sep}`) ? folder : path
}

const PLAIN_ID = /^[\w.-]{1,80}$/

/**
 * Names runs by their ids, so that a link works wherever the folder is. A copy of a run has the same id, and an
 * untrusted record may have any: then a hash of the path is added. The oldest folder keeps the plain id.
 */
function named(folders: readonly string[]): KnownRun[] {
  const taken = new Set<string>()
  return [...new Set(folders)]
    .map((folder) => ({ folder, madeAt: madeAt(folder) }))
    .toSorted((a, b) => a.madeAt - b.madeAt || (a.folder < b.folder ? -1 : 1))
    .map(({ folder }) => {
      const id = readRunHead(folder)?.id ?? ''
      const hash = createHash('sha256').update(folder).digest('hex').slice(0, 12)
      const plain = PLAIN_ID.test(id) ? id : 'run'
      const key = plain === id && !taken.has(id) ? id : `${plain}~${hash}`
      taken.add(key)
      return { key, folder }
    })
}

function madeAt(folder: string): number {
  try {
    return statSync(folder).birthtimeMs
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
