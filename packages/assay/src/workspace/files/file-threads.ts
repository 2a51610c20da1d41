/**
 * Threads that work on folders, so that copying thousands of files holds nobody up. They start when they
 * are first needed, as many as there are processors, take one task at a time, and do not keep the process
 * alive. Each store has its own and ends them.
 */
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { WorkspaceTooLarge } from '@assay/contract'
import type { FileTask, Reply, Yield } from './file-task.ts'
import { WorkspaceError } from '../workspace-error.ts'

/** For one task, on a disk that hangs: nothing that is meant takes so long. */
const MOST_MS = 30 * 60_000

/** While work waits this long, another thread is worth its start. */
const PATIENCE_MS = 50

export interface FileThreads {
  /** Rejects with what the work threw. */
  run<T extends FileTask>(task: T): Promise<Yield<T>>
  close(): Promise<void>
}

interface Job {
  readonly task: FileTask
  readonly settle: (reply: Reply) => void
}

export function openFileThreads(most = availableParallelism()): FileThreads {
  const idle: Worker[] = []
  const all = new Set<Worker>()
  const queue: Job[] = []
  let patience: NodeJS.Timeout | undefined
  let isClosed = false

  function dispatch(): void {
    while (queue.length > 0 && (idle.length > 0 || all.size === 0)) feed(idle.pop() ?? start())
    if (queue.length > 0 && all.size < most)
      patience ??= setTimeout(() => {
        patience = undefined
        if (queue.length > 0 && idle.length === 0) feed(start())
        dispatch()
      }, PATIENCE_MS)
  }

  function feed(worker: Worker): void {
    const job = queue.shift()
    if (job !== undefined) give(worker, job)
  }

  function give(worker: Worker, job: Job): void {
    const finish = (reply: Reply, isOver: boolean): void => {
      clearTimeout(timer)
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
      if (isOver) {
        all.delete(worker)
        worker.on('error', () => {})
        void worker.terminate()
      } else idle.push(worker)
      job.settle(reply)
      if (!isClosed) dispatch()
    }
    const fail = (failed: string): void => finish({ failed, as: 'other' }, true)
    // Holds the process while the task is under way.
    const timer = setTimeout(() => fail('work on a folder did not end'), MOST_MS)
    worker.once('message', (reply: Reply) => finish(reply, false))
    worker.once('error', (error: Error) => fail(error.message))
    worker.once('exit', () => fail('the thread that works on folders ended by itself'))
    worker.unref()
    worker.postMessage(job.task, [])
  }

  function start(): Worker {
    // Beside this file, in the sources as in what is built from them.
    const program = new URL(`./file-thread${extname(import.meta.url)}`, import.meta.url)
    const worker = new Worker(program, {
      env: {},
      execArgv: [],
    })
    all.add(worker)
    return worker
  }

  return {
    run<T extends FileTask>(task: T) {
      return new Promise<Yield<T>>((resolve, reject) => {
        if (isClosed) {
          reject(new Error('the workspaces were closed'))
          return
        }
        const settle = (reply: Reply): void => {
          if ('done' in reply) resolve(reply.done as Yield<T>)
          else reject(errorOf(reply))
        }
        queue.push({ task, settle })
        dispatch()
      })
    },
    async close() {
      isClosed = true
      clearTimeout(patience)
      for (const { settle } of queue.splice(0))
        settle({ failed: 'the workspaces were closed', as: 'other' })
      await Promise.all([...all].map((worker) => worker.terminate()))
    },
  }
}

function errorOf({ failed, as }: Extract<Reply, { failed: string }>): Error {
  if (as === 'too-large') return new WorkspaceTooLarge(failed)
  return as === 'workspace' ? new WorkspaceError(failed) : new Error(failed)
}
