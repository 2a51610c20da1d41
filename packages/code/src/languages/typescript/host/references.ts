/**
 * Processes for references. A solution of a model always gets a new process. References come from the cases of a suite,
 * and a reference is run only to find out how the tests of its case must run. So one process holds several references,
 * one after another, because starting a process takes longer than most tests. A process is used again only if the
 * reference passed and left nothing behind (sandboxed/surroundings.ts). The caller must run a reference that fails in a
 * used process once more in a new one.
 */
import type { Sandbox } from '@assay/sandbox'
import { decodeFrame } from '../../../frames.ts'
import { WarmProcesses, type Linked, type Warm } from './warm.ts'

/** A process for a solution. */
export interface Held {
  readonly sample: Warm
  /** The index of the tester's pipe. */
  readonly link: number
  /** The index of the same link among the links of this process. Null if the process holds only one solution. */
  readonly ownLink: number | null
  /** Whether the process has held another reference before. */
  readonly isUsed: boolean
}

interface Kept {
  readonly key: string
  readonly sample: Warm
  /** How many of its links were used. */
  used: number
  /** Whether the process can hold another reference. */
  isReady: Promise<boolean>
}

/** How long a process may take to report that it can hold another reference. */
const AGAIN_MS = 2000

export class References {
  readonly #processes: WarmProcesses
  #kept: Kept | null = null

  constructor(sandbox: Sandbox, program: (key: string) => Linked) {
    this.#processes = new WarmProcesses(sandbox, program, () => 0)
  }

  /** Whether a process of this kind is there and has a link left. */
  hasLinks(key: string): boolean {
    return this.#kept?.key === key && this.#kept.used < this.#kept.sample.links.length
  }

  /** Returns a process for the next reference. Only one reference at a time may have it. */
  async take(key: string): Promise<Held> {
    if (!this.hasLinks(key) || !(await this.#kept?.isReady)) {
      void this.#kept?.sample.kill()
      this.#kept = null
      const sample = await this.#processes.take(key)
      this.#kept = { key, sample, used: 0, isReady: Promise.resolve(true) }
    }
    const { sample, used } = this.#kept as Kept
    ;(this.#kept as Kept).used++
    return { sample, link: sample.links[used] ?? -1, ownLink: used, isUsed: used > 0 }
  }

  /** Called when the tests of the reference have run. If they did not pass, the process is not used again. */
  release(sample: Warm, isPassed: boolean): void {
    const kept = this.#kept
    if (kept?.sample !== sample) return
    if (isPassed) kept.isReady = again(sample)
    else {
      this.#kept = null
      void sample.kill()
    }
  }

  close(): Promise<void> {
    return this.#processes.close()
  }
}

/** Resolves with whether the process reports that it can hold another reference. */
const again = (sample: Warm): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), AGAIN_MS)
    timer.unref()
    const end = (isReady: boolean): void => {
      clearTimeout(timer)
      resolve(isReady)
    }
    sample.onFrame = (frame) => end(decodeFrame(frame) === 'ready')
    sample.onBadFrame = () => end(false)
    void sample.ended.then(() => end(false))
  })
