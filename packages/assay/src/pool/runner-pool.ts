/**
 * Work done outside of the main thread: by runners, each a thread or a process. Runners start when they are
 * first needed, take one task at a time from one queue, and are ended with the task that runs past its
 * deadline; tasks behind it go on in another one. A task's clock starts when its work begins, so that no
 * answer fails for the slowness of another one. Idle runners do not keep this process alive.
 *
 * Why no library: piscina 5.3.2 and tinypool 2.2.0 were tried in its place. Both end a task's thread when a
 * signal aborts, but neither says when a task begins, so its deadline counts from when it was queued. With two
 * threads, three endless tasks and ten quick ones behind them, each with 400 ms, all ten quick tasks failed
 * (here: none). Neither can run a task in a process of the sandbox, as graders of the user's own need. A burst
 * of 20 tasks of 1 ms costs about the same in all three (115 to 130 ms of processor time, two threads).
 */
import { availableParallelism } from 'node:os'

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

export interface RunnerEvents<Reply> {
  ready(): void
  reply(reply: Reply): void
  /** It has ended, or is of no more use. */
  failed(error: Error): void
}

/** A thread or a process that does tasks. It does not keep this process alive. */
export interface Runner<Task> {
  send(task: Task): void
  /** Ends it, whatever it is doing. Resolves when it is gone. */
  end(): Promise<unknown>
}

type StartRunner<Task, Reply> = (events: RunnerEvents<Reply>) => Runner<Task>

export interface PoolOptions<Task, Reply> {
  /** May throw: then the task that needed it is rejected with that. */
  readonly start: StartRunner<Task, Reply>
  /** What a task is rejected with at its deadline. */
  readonly late: (timeoutMs: number) => Error
  /** And where its runner never said that it is ready. */
  readonly notStarted: string
  /** And where the pool was closed meanwhile. */
  readonly closed: string
}

interface Job<Task, Reply> {
  readonly task: Task
  readonly timeoutMs: number
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

/** One runner and the job it is at. Ends itself with whatever goes wrong. */
class Slot<Task, Reply> {
  readonly #options: PoolOptions<Task, Reply>
  readonly #runner: Runner<Task>
  readonly #onIdle: () => void
  readonly #onEnd: (slot: Slot<Task, Reply>) => void
  #ready = false
  #job: Job<Task, Reply> | null = null
  #timer: NodeJS.Timeout | undefined
  #ending: Promise<unknown> | null = null

  constructor(
    options: PoolOptions<Task, Reply>,
    onIdle: () => void,
    onEnd: (slot: Slot<Task, Reply>) => void,
  ) {
    this.#options = options
    this.#onIdle = onIdle
    this.#onEnd = onEnd
    this.#runner = options.start({
      ready: () => {
        // Said again, by what runs there, it must not start the clock again.
        if (this.#ready) return
        this.#ready = true
        if (this.#job !== null) this.#wind()
      },
      reply: (reply) => this.#received(reply),
      failed: (error) => this.#fail(error),
    })
  }

  get job(): Job<Task, Reply> | null {
    return this.#job
  }

  run(job: Job<Task, Reply>): void {
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
    job.resolve(reply)
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

  #expire(job: Job<Task, Reply> | null): void {
    if (job === null || this.#job !== job) return
    this.#fail(
      this.#ready ? this.#options.late(job.timeoutMs) : new Error(this.#options.notStarted),
    )
  }

  #fail(error: Error): void {
    const job = this.#job
    void this.end()
    job?.reject(error)
  }
}

export class RunnerPool<Task, Reply> {
  readonly #options: PoolOptions<Task, Reply>
  readonly #slots = new Set<Slot<Task, Reply>>()
  readonly #ending = new Set<Promise<unknown>>()
  readonly #most = availableParallelism()
  #queue: Job<Task, Reply>[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(options: PoolOptions<Task, Reply>) {
    this.#options = options
  }

  /** Does the task. Rejects at its deadline, with the signal's reason when that aborts, and with its runner. */
  run(task: Task, { timeoutMs, signal }: Deadline): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason)
        return
      }
      const settled = (): void => signal.removeEventListener('abort', abort)
      const job: Job<Task, Reply> = {
        task,
        timeoutMs,
        resolve: (reply) => {
          settled()
          resolve(reply)
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
    for (const job of jobs) job.reject(new Error(this.#options.closed))
    await Promise.all(this.#ending)
  }

  /** Takes a job back, wherever it is. */
  #drop(job: Job<Task, Reply>): void {
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

  #feed(slot: Slot<Task, Reply>): void {
    const job = this.#queue.shift()
    if (job !== undefined) slot.run(job)
  }

  #grow(): void {
    let slot: Slot<Task, Reply>
    try {
      slot = this.#start()
    } catch (error) {
      this.#queue.shift()?.reject(error)
      return
    }
    this.#feed(slot)
  }

  #start(): Slot<Task, Reply> {
    const slot = new Slot(
      this.#options,
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
