/**
 * Work that an answer can make endless, done outside of the main thread: by runners, each a thread or a
 * process. Runners start when they are first needed, take one task at a time from one queue, and are ended
 * with the task that runs past its deadline; tasks behind it go on in another one. A task's clock starts when
 * its work begins, so that no answer fails for the slowness of another one. Idle runners do not keep this
 * process alive.
 */
import { availableParallelism } from 'node:os'
import { GraderTimeout } from '../grader.ts'
import type { Reply, Task } from './task.ts'

/** While one task runs this long and others wait, another runner is worth its start. */
const PATIENCE_MS = 50
/** A runner that takes longer to start never will. */
const START_MS = 60_000
/** A timer beyond it would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface Deadline {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface RunnerEvents {
  ready(): void
  reply(reply: Reply): void
  /** It has ended, or is of no more use. */
  failed(error: Error): void
}

/** A thread or a process that does tasks. It does not keep this process alive. */
export interface Runner {
  send(task: Task): void
  /** Ends it, whatever it is doing. Resolves when it is gone. */
  end(): Promise<unknown>
}

export type StartRunner = (events: RunnerEvents) => Runner

interface Job {
  readonly task: Task
  readonly timeoutMs: number
  readonly resolve: (found: unknown) => void
  readonly reject: (error: unknown) => void
}

/** One runner and the job it is at. Ends itself with whatever goes wrong. */
class Slot {
  readonly #runner: Runner
  readonly #onIdle: () => void
  readonly #onEnd: (slot: Slot) => void
  #ready = false
  #job: Job | null = null
  #timer: NodeJS.Timeout | undefined
  #ending: Promise<unknown> | null = null

  constructor(start: StartRunner, onIdle: () => void, onEnd: (slot: Slot) => void) {
    this.#onIdle = onIdle
    this.#onEnd = onEnd
    this.#runner = start({
      ready: () => {
        // Said again, by a grader, it must not start the clock again.
        if (this.#ready) return
        this.#ready = true
        if (this.#job !== null) this.#wind()
      },
      reply: (reply) => this.#received(reply),
      failed: (error) => this.#fail(error),
    })
  }

  get job(): Job | null {
    return this.#job
  }

  run(job: Job): void {
    this.#job = job
    this.#runner.send(job.task)
    this.#wind()
  }

  /** Ends the runner; the job under way is the caller's to settle. */
  end(): Promise<unknown> {
    clearTimeout(this.#timer)
    this.#job = null
    if (this.#ending === null) {
      this.#ending = this.#runner.end()
      this.#onEnd(this)
    }
    return this.#ending
  }

  #received(reply: Reply): void {
    const job = this.#job
    if (job === null) {
      // A reply that was not asked for would be taken for that of the next task.
      void this.end()
      return
    }
    clearTimeout(this.#timer)
    this.#job = null
    if ('failed' in reply)
      job.reject(reply.limit ? new GraderTimeout(reply.failed) : new Error(reply.failed))
    else job.resolve(reply.found)
    this.#onIdle()
  }

  /** Starts the clock of the job, or of the runner's own start. */
  #wind(): void {
    clearTimeout(this.#timer)
    const job = this.#job
    const ms = this.#ready ? (job?.timeoutMs ?? START_MS) : START_MS
    // A reply that came while this thread was busy elsewhere is read before the deadline counts.
    const expire = (): void => void setImmediate(() => this.#expire(job))
    this.#timer = setTimeout(expire, Math.min(ms, LONGEST_TIMER_MS))
  }

  #expire(job: Job | null): void {
    if (job === null || this.#job !== job) return
    this.#fail(
      this.#ready
        ? new GraderTimeout(`did not end within ${Math.round(job.timeoutMs) / 1000} s`)
        : new Error('what runs the grader did not start'),
    )
  }

  #fail(error: Error): void {
    const job = this.#job
    void this.end()
    job?.reject(error)
  }
}

export class RunnerPool {
  readonly #startRunner: StartRunner
  readonly #slots = new Set<Slot>()
  readonly #ending = new Set<Promise<unknown>>()
  readonly #most = availableParallelism()
  #queue: Job[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(start: StartRunner) {
    this.#startRunner = start
  }

  /**
   * Does the task. Rejects with `GraderTimeout` at its deadline or at another limit that the answer ran into,
   * and with the signal's reason when that aborts.
   */
  run(task: Task, { timeoutMs, signal }: Deadline): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason)
        return
      }
      const settled = (): void => signal.removeEventListener('abort', abort)
      const job: Job = {
        task,
        timeoutMs,
        resolve: (found) => {
          settled()
          resolve(found)
        },
        reject: (error) => {
          settled()
          reject(error)
        },
      }
      const abort = (): void => {
        this.#drop(job)
        job.reject(signal.reason)
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#queue.push(job)
      this.#dispatch()
    })
  }

  /** Ends all runners. The next task starts a new one. */
  async close(): Promise<void> {
    const jobs = this.#queue
    this.#queue = []
    for (const slot of this.#slots) {
      if (slot.job !== null) jobs.push(slot.job)
      void slot.end()
    }
    for (const job of jobs) job.reject(new Error('the graders were closed'))
    await Promise.all(this.#ending)
  }

  /** Takes a job back, wherever it is. */
  #drop(job: Job): void {
    this.#queue = this.#queue.filter((waiting) => waiting !== job)
    for (const slot of this.#slots) if (slot.job === job) void slot.end()
  }

  #dispatch(): void {
    for (const slot of this.#slots) if (slot.job === null) this.#feed(slot)
    if (this.#queue.length === 0) {
      clearTimeout(this.#timer)
      this.#timer = undefined
    } else if (this.#slots.size === 0) this.#grow()
    if (this.#queue.length > 0)
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined
        if (this.#slots.size < this.#most) this.#grow()
        this.#dispatch()
      }, PATIENCE_MS)
  }

  #feed(slot: Slot): void {
    const job = this.#queue.shift()
    if (job !== undefined) slot.run(job)
  }

  #grow(): void {
    let slot: Slot
    try {
      slot = this.#start()
    } catch (error) {
      this.#queue.shift()?.reject(error)
      return
    }
    this.#feed(slot)
  }

  #start(): Slot {
    const slot = new Slot(
      this.#startRunner,
      () => this.#dispatch(),
      (ended) => {
        this.#slots.delete(ended)
        const ending: Promise<unknown> = ended.end().finally(() => this.#ending.delete(ending))
        this.#ending.add(ending)
        this.#dispatch()
      },
    )
    this.#slots.add(slot)
    return slot
  }
}
