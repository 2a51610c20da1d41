/**
 * Work that an answer can make endless, done apart from the main thread. Threads start when they are
 * first needed, take one task at a time from one queue, and are ended with the task that runs past its
 * deadline; whatever waits behind it goes on in another. A task's clock starts when its work begins, so
 * that no answer fails for the slowness of another one. Idle threads do not keep the process alive.
 * Graders of the user's own run in threads of their own, with which nothing else is shared.
 */
import { extname } from 'node:path'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { GraderTimeout } from './grader.ts'
import { READY, type Finding, type Reply, type Task } from './task.ts'

/** While one task runs this long and others wait, another thread is worth its start. */
const PATIENCE_MS = 50
/** A thread that takes longer to start never will. */
const START_MS = 60_000
/** For one task and the schemas and patterns kept for others. */
const MEMORY_MB = 512
/** A timer beyond it would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

interface Deadline {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

interface Job {
  readonly task: Task
  readonly timeoutMs: number
  readonly resolve: (found: unknown) => void
  readonly reject: (error: unknown) => void
}

/** One worker and the job it is at. Ends itself with whatever goes wrong. */
class Thread {
  readonly #worker: Worker
  readonly #onIdle: () => void
  readonly #onEnd: (thread: Thread) => void
  #ready = false
  #job: Job | null = null
  #timer: NodeJS.Timeout | undefined
  #ending: Promise<unknown> | null = null

  constructor(name: string, onIdle: () => void, onEnd: (thread: Thread) => void) {
    this.#onIdle = onIdle
    this.#onEnd = onEnd
    // Beside this file, in the sources as in what is built from them.
    const program = new URL(`./${name}${extname(import.meta.url)}`, import.meta.url)
    this.#worker = new Worker(program, {
      // What this process was started with may not suit a thread.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
    this.#worker.on('message', (message: Reply | typeof READY) => {
      this.#received(message)
    })
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      const limit = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      this.#fail(limit ? new GraderTimeout(`needed more than ${MEMORY_MB} MB of memory`) : error)
    })
    this.#worker.on('exit', () => {
      this.#fail(new Error('the grading thread ended by itself'))
    })
    // After the listeners, which would hold the process again. While a task is under way its timer does.
    this.#worker.unref()
  }

  get job(): Job | null {
    return this.#job
  }

  run(job: Job): void {
    this.#job = job
    this.#worker.postMessage(job.task, [])
    this.#wind()
  }

  /** Ends the thread; the job under way is the caller's to settle. */
  end(): Promise<unknown> {
    clearTimeout(this.#timer)
    this.#job = null
    if (this.#ending === null) {
      this.#ending = this.#worker.terminate()
      this.#onEnd(this)
    }
    return this.#ending
  }

  #received(message: Reply | typeof READY): void {
    if (message === READY) {
      this.#ready = true
      if (this.#job !== null) this.#wind()
      return
    }
    const job = this.#job
    if (job === null) return
    clearTimeout(this.#timer)
    this.#job = null
    if ('found' in message) job.resolve(message.found)
    else job.reject(message.limit ? new GraderTimeout(message.failed) : new Error(message.failed))
    this.#onIdle()
  }

  /** Starts the clock of the job, or of the thread's own start. */
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
        : new Error('the grading thread did not start'),
    )
  }

  #fail(error: Error): void {
    const job = this.#job
    void this.end()
    job?.reject(error)
  }
}

class Threads {
  readonly #program: string
  readonly #threads = new Set<Thread>()
  readonly #ending = new Set<Promise<unknown>>()
  readonly #most = availableParallelism()
  #queue: Job[] = []
  #timer: NodeJS.Timeout | undefined

  /** The file, without its ending, that the threads run. */
  constructor(program: string) {
    this.#program = program
  }

  add(job: Job): void {
    this.#queue.push(job)
    this.#dispatch()
  }

  /** Takes a job back, wherever it is. */
  drop(job: Job): void {
    this.#queue = this.#queue.filter((waiting) => waiting !== job)
    for (const thread of this.#threads) if (thread.job === job) void thread.end()
  }

  async close(): Promise<void> {
    const jobs = this.#queue
    this.#queue = []
    for (const thread of this.#threads) {
      if (thread.job !== null) jobs.push(thread.job)
      void thread.end()
    }
    for (const job of jobs) job.reject(new Error('the graders were closed'))
    await Promise.all(this.#ending)
  }

  #dispatch(): void {
    for (const thread of this.#threads) if (thread.job === null) this.#feed(thread)
    if (this.#queue.length === 0) {
      clearTimeout(this.#timer)
      this.#timer = undefined
    } else if (this.#threads.size === 0) this.#feed(this.#start())
    if (this.#queue.length > 0)
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined
        if (this.#threads.size < this.#most) this.#feed(this.#start())
        this.#dispatch()
      }, PATIENCE_MS)
  }

  #feed(thread: Thread): void {
    const job = this.#queue.shift()
    if (job !== undefined) thread.run(job)
  }

  #start(): Thread {
    const thread = new Thread(
      this.#program,
      () => this.#dispatch(),
      (ended) => {
        this.#threads.delete(ended)
        const ending: Promise<unknown> = ended.end().finally(() => this.#ending.delete(ending))
        this.#ending.add(ending)
        this.#dispatch()
      },
    )
    this.#threads.add(thread)
    return thread
  }
}

const builtIn = new Threads('thread')
const custom = new Threads('custom-thread')

/**
 * Does the task on a thread. Rejects with `GraderTimeout` at its deadline or at another limit that the
 * text ran into, and with the signal's reason when that aborts.
 */
export function runApart<T extends Task>(task: T, deadline: Deadline): Promise<Finding<T>> {
  const { timeoutMs, signal } = deadline
  const threads = task.kind === 'custom' ? custom : builtIn
  return new Promise<Finding<T>>((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const job: Job = {
      task,
      timeoutMs,
      resolve: (found) => {
        signal.removeEventListener('abort', abort)
        resolve(found as Finding<T>)
      },
      reject: (error) => {
        signal.removeEventListener('abort', abort)
        reject(error)
      },
    }
    function abort(): void {
      threads.drop(job)
      job.reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    threads.add(job)
  })
}

/** Ends all grading threads. The next task starts a new one. */
export async function closeThreads(): Promise<void> {
  await Promise.all([builtIn.close(), custom.close()])
}
