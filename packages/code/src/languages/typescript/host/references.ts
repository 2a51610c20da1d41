/**
 * Processes for references (the correct solutions that cases contain). A solution of a model always gets a new
 * process. References are more trusted, and a reference is run only to find out how the tests of its case must run.
 * So one process holds several references, one after another, because starting a process takes longer than most
 * tests. A process is used again only if the reference passed and changed nothing that later code shares
 * (sandboxed/surroundings.ts). If a reference fails in a used process, the caller must run it again in a new one.
 */
import type { Sandbox } from '@assay/sandbox'
import { decodeFrame } from '../../../frames.ts'
import { WarmProcesses, type Linked, type Warm } from './warm.ts'

/** A process that is reserved for one solution or reference. */
export interface Held {
  readonly sample: Warm
  /** The index of the tester's pipe that leads to this process. */
  readonly link: number
  /** The index of the same link among the links of this process. Null if the process holds only one solution. */
  readonly ownLink: number | null
  /** Whether the process has held another reference before. */
  readonly isUsed: boolean
}

interface Kept {
  readonly key: string
  readonly sample: Warm
  /** How many links of the process were used. */
  used: number
  /** Resolves with true if the process reports that it can load another reference. */
  reported: Promise<boolean>
  /** Like `reported`, but resolves with false if there is no report within the time limit. */
  isReady: Promise<boolean>
}

/** How long a process may take to report that it can hold another reference, after the tests of its reference have run. */
const AGAIN_MS = 5000

export class References {
  readonly #processes: WarmProcesses
  #kept: Kept | null = null

  constructor(sandbox: Sandbox, program: (key: string) => Linked) {
    this.#processes = new WarmProcesses(sandbox, program, () => 0)
  }

  /** Whether there is a process of this kind with a free link. */
  hasLinks(key: string): boolean {
    return this.#kept?.key === key && this.#kept.used < this.#kept.sample.links.length
  }

  /** Returns a process for the next reference. Only one reference may use it at a time. */
  async take(key: string): Promise<Held> {
    if (!this.hasLinks(key) || !(await this.#kept?.isReady)) {
      void this.#kept?.sample.kill()
      this.#kept = null
      const sample = await this.#processes.take(key)
      const isReady = Promise.resolve(true)
      this.#kept = { key, sample, used: 0, reported: isReady, isReady }
    }
    const kept = this.#kept as Kept
    const { sample, used } = kept
    kept.used++
    // Start to listen now, because the process may send its report before the tester's results arrive.
    kept.reported = reportOf(sample)
    return { sample, link: sample.links[used] ?? -1, ownLink: used, isUsed: used > 0 }
  }

  /**
   * Returns a process when the tests of its reference have run. If they did not pass, the process is not used again.
   */
  release(sample: Warm, isPassed: boolean): void {
    const kept = this.#kept
    if (kept?.sample !== sample) return
    if (isPassed) kept.isReady = within(kept.reported, AGAIN_MS)
    else {
      this.#kept = null
      void sample.kill()
    }
  }

  close(): Promise<void> {
    return this.#processes.close()
  }
}

/** Resolves with true if the process reports that it can load another reference. */
const reportOf = (sample: Warm): Promise<boolean> =>
  new Promise((resolve) => {
    sample.onFrame = (frame) => resolve(decodeFrame(frame) === 'ready')
    sample.onBadFrame = () => resolve(false)
    void sample.ended.then(() => resolve(false))
  })

/** Resolves with false if nothing is known after this time. */
async function within(known: Promise<boolean>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
    timer.unref()
  })
  try {
    return await Promise.race([known, late])
  } finally {
    clearTimeout(timer)
  }
}
