/** A runner that is a thread of this process. The thread first posts `READY`, then one reply per task. */
import { Worker } from 'node:worker_threads'
import type { Runner, RunnerEvents } from './runner-pool.ts'

/** The first message of a thread or process. It says that the runner can take tasks. */
export const READY = 'ready'

export interface ThreadOptions {
  readonly program: URL
  /** The error message for the current task if the thread ends unexpectedly. */
  readonly ended: string
  /** The limit on memory for JavaScript values. Default: Node's own limit. */
  readonly memoryMb?: number
  /** Creates the error for a task that exceeded the memory limit. */
  readonly outOfMemory?: (memoryMb: number) => Error
}

/**
 * Returns the `--import` arguments of this process. Threads that run from TypeScript sources may need these modules to
 * find their program.
 */
const imports = (): string[] =>
  process.execArgv.flatMap((word, i, words) =>
    word === '--import' ? [word, words[i + 1] ?? ''] : word.startsWith('--import=') ? [word] : [],
  )

export function startThread<Task, Reply>(
  { program, ended, memoryMb, outOfMemory }: ThreadOptions,
  events: RunnerEvents<Reply>,
): Runner<Task> {
  const worker = new Worker(program, {
    // The thread does not inherit the environment and the options of this process. Some options of a process are errors
    // in a thread.
    env: {},
    execArgv: program.pathname.endsWith('.ts') ? imports() : [],
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
  // `unref` must come after the listeners are added. Adding a listener makes the worker keep the process alive again.
  // While a task runs, the task's timer keeps the process alive.
  worker.unref()
  return {
    send: (task) => worker.postMessage(task, []),
    end: () => worker.terminate(),
  }
}
