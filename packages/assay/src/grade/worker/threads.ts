/** Threads of the built-in graders, for work that an answer can make endless. */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { GraderTimeout } from '../grader.ts'
import { RunnerPool, type Deadline, type Runner, type RunnerEvents } from './runner-pool.ts'
import { READY, type BuiltInTask, type Finding, type Reply } from './task.ts'

/** For one task and the schemas and patterns kept for others. */
const MEMORY_MB = 512

// Next to this file, in the sources as in what is built from them.
const PROGRAM = new URL(`./thread${extname(import.meta.url)}`, import.meta.url)

function startThread(events: RunnerEvents): Runner {
  const worker = new Worker(PROGRAM, {
    // What this process was started with may not suit a thread.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
  worker.on('message', (message: Reply | typeof READY) => {
    if (message === READY) events.ready()
    else events.reply(message)
  })
  worker.on('error', (error: NodeJS.ErrnoException) => {
    const limit = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    events.failed(limit ? new GraderTimeout(`needed more than ${MEMORY_MB} MB of memory`) : error)
  })
  worker.on('exit', () => events.failed(new Error('the grading thread ended by itself')))
  // After the listeners, which would hold the process again. While a task is under way its timer does.
  worker.unref()
  return {
    send: (task) => worker.postMessage(task, []),
    end: () => worker.terminate(),
  }
}

const threads = new RunnerPool(startThread)

/** Does the task on a thread. Rejects as a `RunnerPool` does. */
export const runApart = <T extends BuiltInTask>(task: T, deadline: Deadline): Promise<Finding<T>> =>
  threads.run(task, deadline) as Promise<Finding<T>>

/** Ends all grading threads. The next task starts a new one. */
export const closeThreads = (): Promise<void> => threads.close()
