/**
 * The runs that are kept in memory. A run that is being written is followed: only the new lines of its log are read. When
 * it has ended, its log is read once more as a whole.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { indexKey } from '../environment/index.ts'
import { SMALL_RUN } from '../log/index.ts'
import { makeViewParts, readRun, RunFollower, type RunReport } from '../report/index.ts'
import type { ViewData } from '../report/view-data/index.ts'
import type { RunIndex } from './run-index.ts'
import { runStamp } from './run-stamp.ts'

/** A run that was read, with the parts that the pages show. */
export interface OpenRun {
  readonly stamp: string
  readonly source: RunReport
  readonly parts: Omit<ViewData, 'trials'>
}

interface Entry {
  readonly stamp: string
  readonly run: Promise<OpenRun>
  /** What the entry before it was, for the requests of a page that shows that moment. */
  before: Entry | null
}

/** The runs that are kept in memory: at most this many, and at most this many planned trials in all. */
const MOST_OPEN = 6
const MOST_TRIALS = 2_000_000
/** The figures of a run that is being written are computed for at most this part of the time. */
const MOST_BUSY = 1 / 3

export class OpenRuns {
  readonly #index: RunIndex
  readonly #open = new Map<string, Entry>()
  readonly #followed = new Map<string, { follower: RunFollower; readyAt: number }>()

  constructor(index: RunIndex) {
    this.#index = index
  }

  /**
   * Reads a run, or returns it from memory if nothing in its folder has changed. With `at`, the moment of that stamp is
   * returned while it is known. Throws if the run cannot be read.
   */
  async open(folder: string, at?: string | null): Promise<OpenRun> {
    const stamp = runStamp(folder)
    const known = this.#open.get(folder)
    const wanted = [known, known?.before].find(
      (entry) => entry != null && entry.stamp === (at ?? stamp?.run),
    )
    if (wanted != null && known !== undefined) {
      // The runs that were used last are at the end.
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

  /** Removes the runs that were not used for the longest time. */
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

/** A larger run gets its pages from the index, because computing them takes seconds. */
const LARGE = SMALL_RUN

/** The parts are computed when a page asks for them. Those of a large run are kept in the index. */
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
