/**
 * The runs that the workbench shows. It finds their folders, and updates the index in the background. Everything is
 * read from the run folders, and nothing is written to them here.
 */
import { resolve } from 'node:path'
import { indexKey } from '../environment/index.ts'
import { readOutline, type Report } from '../report/index.ts'
import type {
  CaseEntry,
  CaseHistory,
  RunHead,
  RunList,
  RunRow,
  Trend,
} from '../report/view-data/index.ts'
import type { FoundRuns } from './find-runs.ts'
import { OpenRuns, type OpenRun } from './open-runs.ts'
import type { IndexedCell, IndexedRow, RunIndex } from './run-index.ts'
import { indexedRow, named, outlineOf, shownPath, unreadRow, type KnownRun } from './run-rows.ts'
import { runStamp, type RunStamp } from './run-stamp.ts'
import { shownRun, Trends, type TrendRun } from './trend.ts'

export interface StoreOptions {
  /** Finds the run folders. It is called for each list, because runs may be added or deleted. */
  readonly find: () => FoundRuns
  readonly index: RunIndex
  /** The folder to which displayed paths are relative. */
  readonly from?: string
}

/** If the last search for folders is not older than this, its result is used again. */
const FRESH_MS = 250

/** A row that was made from a run's record or read from the index. */
interface KeptRow {
  readonly stamp: string
  readonly row: IndexedRow
  readonly isRead: boolean
}

interface Listed {
  readonly runs: readonly TrendRun[]
  readonly unread: readonly KnownRun[]
  readonly notes: readonly string[]
}

export class RunStore {
  readonly #options: StoreOptions
  readonly #open: OpenRuns
  readonly #trends: Trends
  /** The last row of each folder. With it, a list does not have to read runs again that have not changed. */
  readonly #rows = new Map<string, KeptRow>()
  #known: { readonly at: number; readonly runs: readonly KnownRun[]; notes: readonly string[] } = {
    at: Number.NEGATIVE_INFINITY,
    runs: [],
    notes: [],
  }
  #reading: Promise<void> | null = null
  #isClosed = false

  constructor(options: StoreOptions) {
    this.#options = options
    this.#open = new OpenRuns(options.index)
    this.#trends = new Trends(options.index)
  }

  /** Returns every run, newest first. A run whose log was not read yet has no figures. */
  list(): RunList {
    const { runs, unread, notes } = this.#list()
    return { runs: runs.map(({ row }) => row), pending: unread.length, notes }
  }

  /**
   * Returns the pass rates of each subject on a suite, over all runs. If `suite` is null, uses the suite of the
   * newest run.
   */
  trend(suite: string | null): Trend {
    const { runs, unread } = this.#list()
    const trend = this.#trends.trendOf(runs, suite)
    return { ...trend, pending: trend.pending + unread.length }
  }

  #list(): Listed {
    const { runs, notes } = this.#find(true)
    const unread: KnownRun[] = []
    const listed = runs.flatMap((known) => {
      const stamp = runStamp(known.folder)
      if (stamp === null) return []
      const { row, isRead } = this.#rowOf(known, stamp)
      if (!isRead) unread.push(known)
      return [{ row: this.#shown(known, row), folder: known.folder, stamp: stamp.run }]
    })
    const sorted = listed.toSorted(newestFirst)
    if (unread.length > 0) {
      // The runs at the top of the list are read first.
      const place = new Map(sorted.map(({ folder }, i) => [folder, i]))
      const order = (a: KnownRun, b: KnownRun): number =>
        (place.get(a.folder) ?? 0) - (place.get(b.folder) ?? 0)
      this.#readInBackground(unread.toSorted(order))
    }
    return { runs: sorted, unread, notes }
  }

  #rowOf({ folder }: KnownRun, stamp: RunStamp): KeptRow {
    const kept = this.#rows.get(folder)
    if (kept?.stamp === stamp.text && kept.isRead) return kept
    const indexed = this.#options.index.row(folder, stamp.text)
    if (indexed === null && kept?.stamp === stamp.text) return kept
    const row =
      indexed === null
        ? // While a run is being written, its previous figures are shown until its log has been read again.
          { row: withOldFigures(unreadRow(folder, stamp), kept), isRead: false }
        : { row: indexed, isRead: true }
    const next = { stamp: stamp.text, ...row }
    this.#rows.set(folder, next)
    return next
  }

  /**
   * Returns the folder of a run. Null if there is no such run. Only known folders are returned, so a request can
   * never choose a path.
   */
  folderOf(key: string): string | null {
    const found =
      this.#known.runs.find((one) => one.key === key) ??
      this.#find(true).runs.find((one) => one.key === key)
    return found?.folder ?? null
  }

  keyOf(folder: string): string | null {
    return this.#find().runs.find((one) => one.folder === resolve(folder))?.key ?? null
  }

  /**
   * Reads a run, or returns it from memory. `at` is the stamp of an earlier response, for a caller that needs that
   * state.
   */
  open(folder: string, at?: string | null): Promise<OpenRun> {
    return this.#open.open(folder, at)
  }

  /** Returns the data that the page of a run shows first. */
  async head(key: string, folder: string): Promise<RunHead> {
    const { stamp: at, source, parts } = await this.open(folder)
    const { stamps, notes, report, leftOut } = parts
    const state = runStamp(folder)
    // If the run has not changed since, the index has its row. The figures then do not have to be computed.
    const known =
      state !== null && state.run === at ? this.#options.index.row(folder, state.text) : null
    const row = this.#shown(
      { key, folder },
      known ?? indexedRow(folder, outlineOf(source), state?.isRunning ?? false),
    )
    return { row, at, stamps, notes, report, leftOut }
  }

  /** Returns the figures of a run, and its row. */
  async report(key: string, folder: string): Promise<{ row: RunRow; report: Report }> {
    const { source } = await this.open(folder)
    const row = this.#shown({ key, folder }, indexedRow(folder, outlineOf(source), false))
    return { row, report: source.report }
  }

  /** Returns the outcomes of a case in every run that was read so far, oldest first. */
  history(suite: string, one: string): CaseHistory {
    const { runs, unread } = this.#list()
    const rows = new Map(runs.map(({ folder, row }) => [folder, row]))
    const entries = this.#options.index.cellsOf(suite, one).flatMap((cell) => {
      const row = rows.get(cell.path)
      if (row === undefined) return []
      const { subject, outcomes, hash } = cell
      return [{ run: shownRun(row), subject, outcomes, hash }]
    })
    const oldest = (a: CaseEntry, b: CaseEntry): number =>
      byText(a.run.createdAt ?? '', b.run.createdAt ?? '') || byText(a.subject, b.subject)
    return { suite, case: one, entries: entries.toSorted(oldest), pending: unread.length }
  }

  /** The number of pairs of runs that were compared for the trend so far. */
  get compared(): number {
    return this.#trends.done
  }

  /** Resolves when no log is being read and no runs are being compared. */
  async settled(): Promise<void> {
    await this.#reading
    await this.#trends.settled()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#reading
    await this.#trends.close()
    this.#options.index.close()
  }

  #find(again = false): { runs: readonly KnownRun[]; notes: readonly string[] } {
    const now = performance.now()
    if (!again && now - this.#known.at < FRESH_MS) return this.#known
    const { folders, notes } = this.#options.find()
    this.#known = { at: now, runs: named(folders.map((folder) => resolve(folder))), notes }
    return this.#known
  }

  #shown({ key, folder }: KnownRun, row: IndexedRow): RunRow {
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
      // Read one run after another, because each can take much memory.
      const { row, cells } = await this.#indexed(folder, stamp)
      this.#options.index.put(folder, stamp.text, row, cells)
      this.#rows.set(folder, { stamp: stamp.text, row, isRead: true })
    }
  }

  async #indexed(
    folder: string,
    stamp: RunStamp,
  ): Promise<{ row: IndexedRow; cells: Iterable<IndexedCell> }> {
    try {
      // For a run that is being written, read only what is new. Otherwise its log would be read from the start each
      // time.
      if (stamp.isRunning) {
        const { source } = await this.open(folder)
        return {
          row: indexedRow(folder, outlineOf(source), true),
          cells: cellsIn(source),
        }
      }
      const outline = await readOutline(folder, { indexKey })
      return { row: indexedRow(folder, outline, false), cells: outline.cells() }
    } catch (error) {
      const row = unreadRow(folder, stamp)
      return { row: { ...row, state: 'unreadable', fault: (error as Error).message }, cells: [] }
    }
  }
}

function withOldFigures(row: IndexedRow, kept: KeptRow | undefined): IndexedRow {
  return row.state === 'running' && kept !== undefined ? { ...row, figures: kept.row.figures } : row
}

function* cellsIn({ report, outcomesOf }: OpenRun['source']): Generator<IndexedCell> {
  for (const { suite, subject, cases } of report.subjects)
    for (const { case: one, caseHash } of cases)
      yield { suite, case: one, subject, hash: caseHash, outcomes: outcomesOf(suite, one, subject) }
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const newestFirst = ({ row: a }: TrendRun, { row: b }: TrendRun): number =>
  byText(b.createdAt ?? '', a.createdAt ?? '') || byText(b.folder, a.folder)
