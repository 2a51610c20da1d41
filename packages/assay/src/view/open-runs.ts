/**
 * Keeps the last used runs in memory. While a run is being written, only the new lines of its log are read. When the
 * run has ended, its log is read once more as a whole.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { indexKey } from '../environment/index.ts'
import { SMALL_RUN } from '../log/index.ts'
import { makeViewParts, readRun, RunFollower, type RunReport } from '../report/index.ts'
import type { ViewData } from '../report/view-data/index.ts'
import type { RunIndex } from './run-index.ts'
import { runStamp } from './run-stamp.ts'

/** A run that was read, and the data that its pages show. */
export interface OpenRun {
  readonly stamp: string
  readonly source: RunReport
  readonly parts: Omit<ViewData, 'trials'>
}

interface Entry {
  readonly stamp: string
  readonly run: Promise<OpenRun>
  /** The previous state of the run. A page may still show that state and send requests about it. */
  before: Entry | null
}

/** The limits on the runs that are kept in memory: their number, and the number of their planned trials in total. */
const MOST_OPEN = 6
const MOST_TRIALS = 2_000_000
/** While a run is being written, computing its figures takes at most this fraction of the time. */
const MOST_BUSY = 1 / 3

export class OpenRuns {
  readonly #index: RunIndex
  readonly #open = new Map<string, Entry>()
  readonly #followed = new Map<string, { follower: RunFollower; readyAt: number }>()

  constructor(index: RunIndex) {
    this.#index = index
  }

  /**
   * Reads a run, or returns it from memory if nothing in its folder has changed. `at` is the stamp of an earlier
   * state. That state is returned as long as it is in memory. Throws if the run cannot be read.
   */
  async open(folder: string, at?: string | null): Promise<OpenRun> {
    const stamp = runStamp(folder)
    const known = this.#open.get(folder)
    const wanted = [known, known?.before].find(
      (entry) => entry != null && entry.stamp === (at ?? stamp?.run),
    )
    if (wanted != null && known !== undefined) {
      // Move the run to the end, because the runs that were used last are at the end of the map.
      this.#open.delete(folder)
      this.#open.set(folder, known)
      return wanted.run
    }
    const text = stamp?.run ?? ''
    const run =
      stamp?.isRunning === true ? this.#follow(folder, text) : this.#readWhole(folder, text)
    const entry: Entry = { stamp: text, run, before: known ?? null }
    if (known !== undefined) known.before = null
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

  async #readWhole(folder: string, stamp: string): Promise<OpenRun> {
    this.#followed.delete(folder)
    const source = await readRun(folder, { indexKey, lazy: true })
    return openRun(stamp, source, { index: this.#index, folder })
  }

  async #follow(folder: string, stamp: string): Promise<OpenRun> {
    const followed = this.#followed.get(folder) ?? {
      follower: new RunFollower(folder),
      readyAt: 0,
    }
    this.#followed.set(folder, followed)
    const wait = followed.readyAt - performance.now()
    if (wait > 0) await sleep(wait)
    const began = performance.now()
    const opened = openRun(stamp, await followed.follower.read(), null)
    const now = performance.now()
    followed.readyAt = now + (now - began) * (1 / MOST_BUSY - 1)
    return opened
  }

  /** Removes the runs that have not been used for the longest time. */
  async #forgetSome(): Promise<void> {
    let left = MOST_TRIALS
    let kept = 0
    for (const [folder, { run }] of [...this.#open].reverse()) {
      const planned = (await run.catch(() => null))?.source.tally.plan.planned ?? 0
      left -= planned
      kept++
      if (kept > 1 && (kept > MOST_OPEN || left < 0)) {
        this.#open.delete(folder)
        this.#followed.delete(folder)
      }
    }
  }
}

/** The pages of a run with more trials than this are kept in the index, because computing them takes seconds. */
const LARGE = SMALL_RUN

/**
 * Returns the run. The data of its pages is computed only when a page asks for it. For a large run, the index keeps
 * this data.
 */
function openRun(
  stamp: string,
  source: RunReport,
  kept: { readonly index: RunIndex; readonly folder: string } | null,
): OpenRun {
  let parts: OpenRun['parts'] | null = null
  const isKept = kept !== null && source.tally.plan.planned > LARGE
  const make = (): OpenRun['parts'] => {
    const known = isKept ? kept.index.pages(kept.folder, stamp) : null
    if (known !== null) return known
    const made = makeViewParts(source, source.outcomesOf)
    if (isKept) kept.index.putPages(kept.folder, stamp, made)
    return made
  }
  return {
    stamp,
    source,
    get parts(): OpenRun['parts'] {
      return (parts ??= make())
    },
  }
}
