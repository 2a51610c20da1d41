/**
 * Runs tasks outside of the main thread. Each runner is a thread or a process. A runner is started when it is first
 * needed. It takes one task at a time from a queue that all runners share. If a task exceeds its deadline, its runner
 * is ended, and other runners take the waiting tasks. A task's time counts from the moment when a runner begins it, so
 * a task does not miss its deadline because another task was slow. Idle runners do not keep this process alive.
 *
 * Two libraries were tried instead: piscina 5.3.2 and tinypool 2.2.0. Both can end a task's thread when a signal
 * aborts. But neither reports when a task begins, so a deadline would have to include the time in the queue. This was
 * tested with two threads, three endless tasks and then ten quick tasks, each with a deadline of 400 ms. With both
 * libraries, all ten quick tasks failed. With this pool, none failed. Also, neither library can run a task in a
 * sandboxed process, which custom graders need. The libraries are not faster: 20 tasks of 1 ms on two threads take 115
 * to 130 ms of processor time with either library and with this pool.
 */
import { availableParallelism } from 'node:os'

/** If tasks have waited this long, another runner is started. */
const PATIENCE_MS = 50
/** The time limit for starting a runner. A runner that takes longer is treated as failed. */
const START_MS = 60_000
/** The longest delay that `setTimeout` accepts. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface Deadline {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface RunnerEvents<Reply> {
  ready(): void
  reply(reply: Reply): void
  /** Called when the runner has ended or cannot be used again. */
  failed(error: Error): void
}

/** A thread or a process that runs tasks. It does not keep this process alive. */
export interface Runner<Task> {
  send(task: Task): void
  /** Ends the runner, even during a task. Resolves when it has ended. */
  end(): Promise<unknown>
}

type StartRunner<Task, Reply> = (events: RunnerEvents<Reply>) => Runner<Task>

export interface PoolOptions<Task, Reply> {
  /** Starts a runner. If it throws, the task that needed the runner is rejected with that error. */
  readonly start: StartRunner<Task, Reply>
  /** Creates the error for a task that exceeded its deadline. */
  readonly late: (timeoutMs: number) => Error
  /** The error message for a task whose runner never became ready. */
  readonly notStarted: string
  /** The error message for a task that was not finished when its pool was closed. */
  readonly closed: string
}

interface Job<Task, Reply> {
  readonly task: Task
  readonly timeoutMs: number
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

/** One runner and its current job. If an error occurs, the runner is ended. */
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
        // Untrusted code in the runner could send `ready` again during a task. A second `ready` must not restart the
        // task's timer.
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

  /** Ends the runner. The caller must resolve or reject the current job. */
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
      // The runner sent a reply although it had no task. It is ended, because its next unexpected reply could be taken
      // for the reply to its next task.
      void this.end()
      return
    }
    clearTimeout(this.#timer)
    this.#job = null
    job.resolve(reply)
    this.#onIdle()
  }

  /** Starts a timer. It limits how long the runner takes to start, and then how long its job takes. */
  #wind(): void {
    clearTimeout(this.#timer)
    const job = this.#job
    const ms = this.#ready ? (job?.timeoutMs ?? START_MS) : START_MS
    // The reply may have arrived while the main thread was busy. `setImmediate` gives the main thread time to read it
    // before the job counts as late.
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

  /**
   * Runs the task and resolves with its reply. Rejects at the deadline, if the runner fails, and if the signal aborts
   * (with the signal's reason).
   */
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

  /** Ends all runners and rejects all unfinished tasks. A later task starts a new runner. */
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

  /** Removes a job from the queue, or ends the runner that works on it. */
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
