/**
 * A pool of runners (threads or processes) for graders. If the answer made a task reach a limit, the task
 * rejects with a `GraderTimeout`. Any other failure is an ordinary error.
 */
import { RunnerPool, type Deadline, type PoolOptions } from '../../pool/index.ts'
import { GraderTimeout } from '../grader.ts'
import type { Reply, Task } from './task.ts'

export class GraderPool<T extends Task> {
  readonly #pool: RunnerPool<T, Reply>

  constructor(start: PoolOptions<T, Reply>['start']) {
    this.#pool = new RunnerPool({
      start,
      late: (ms) => new GraderTimeout(`did not end within ${Math.round(ms) / 1000} s`),
      notStarted: 'what runs the grader did not start',
      closed: 'the graders were closed',
    })
  }

  /**
   * Runs the task and returns its result. Rejects with `GraderTimeout` at the deadline or at another limit that
   * the answer reached, and with the signal's reason if the signal aborts.
   */
  async run(task: T, deadline: Deadline): Promise<unknown> {
    const reply = await this.#pool.run(task, deadline)
    if (!('failed' in reply)) return reply.found
    throw reply.limit ? new GraderTimeout(reply.failed) : new Error(reply.failed)
  }

  /** Ends all runners. The next task starts a new one. */
  close(): Promise<void> {
    return this.#pool.close()
  }
}

export const tooMuchMemory = (megabytes: number): GraderTimeout =>
  new GraderTimeout(`needed more than ${megabytes} MB of memory`)
