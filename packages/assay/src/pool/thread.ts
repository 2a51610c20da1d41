/** A runner that is a thread of this process. Its program posts `READY` first, then a reply to each task. */
import { Worker } from 'node:worker_threads'
import type { Runner, RunnerEvents } from './runner-pool.ts'

/** The first message of a thread or process. */
export const READY = 'ready'

export interface ThreadOptions {
  readonly program: URL
  /** What the task is told where the thread ended by itself. */
  readonly ended: string
  /** Most memory for JavaScript values. Without: what Node allows. */
  readonly memoryMb?: number
  /** What a task is rejected with that needed more. */
  readonly outOfMemory?: (memoryMb: number) => Error
}

export function startThread<Task, Reply>(
  { program, ended, memoryMb, outOfMemory }: ThreadOptions,
  events: RunnerEvents<Reply>,
): Runner<Task> {
  const worker = new Worker(program, {
    // What this process was started with may not suit a thread.
    env: {},
    execArgv: [],
    ...(memoryMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } }),
  })
  worker.on('message', (message: Reply | typeof READY) => {
    if (message === READY) events.ready()
    else events.reply(message)
  })
  worker.on('error', (error: NodeJS.ErrnoException) => {
    const isLimit = error.code === 'ERR_WORKER_OUT_OF_MEMORY' && memoryMb !== undefined
    events.failed((isLimit ? outOfMemory?.(memoryMb) : undefined) ?? error)
  })
  worker.on('exit', () => events.failed(new Error(ended)))
  // After the listeners, which would hold the process again. While a task is under way its timer does.
  worker.unref()
  return {
    send: (task) => worker.postMessage(task, []),
    end: () => worker.terminate(),
  }
}
