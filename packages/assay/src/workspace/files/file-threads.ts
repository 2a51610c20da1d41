/**
 * Threads that copy, compare and remove folders, so that work on thousands of files does not block the main
 * thread. Each workspace store has its own threads and ends them when it is closed.
 */
import { extname } from 'node:path'
import { WorkspaceTooLarge } from '@assay/contract'
import { RunnerPool, startThread } from '../../pool/index.ts'
import type { FileTask, Reply, Yield } from './file-task.ts'
import { WorkspaceError } from '../workspace-error.ts'

/** The time limit for one task, in case a disk hangs. No normal task takes this long. */
const MOST_MS = 30 * 60_000

const CLOSED = 'the workspaces were closed'

const THREAD = {
  // The module file-thread is in the same folder as this file, both in the sources and in the build.
  program: new URL(`./file-thread${extname(import.meta.url)}`, import.meta.url),
  ended: 'the thread that works on folders ended by itself',
}

export interface FileThreads {
  /** Runs the task. Resolves with its result or rejects with the error that it threw. */
  run<T extends FileTask>(task: T): Promise<Yield<T>>
  close(): Promise<void>
}

export function openFileThreads(): FileThreads {
  const pool = new RunnerPool<FileTask, Reply>({
    start: (events) => startThread(THREAD, events),
    late: () => new Error('work on a folder did not end'),
    notStarted: 'the thread that works on folders did not start',
    closed: CLOSED,
  })
  // The signal never aborts. A task that has begun is always finished, because a half-copied folder is useless.
  const deadline = { timeoutMs: MOST_MS, signal: new AbortController().signal }
  let isClosed = false
  return {
    async run<T extends FileTask>(task: T) {
      if (isClosed) throw new Error(CLOSED)
      const reply = await pool.run(task, deadline)
      if ('failed' in reply) throw errorOf(reply)
      return reply.done as Yield<T>
    },
    async close() {
      isClosed = true
      await pool.close()
    },
  }
}

function errorOf({ failed, as }: Extract<Reply, { failed: string }>): Error {
  if (as === 'too-large') return new WorkspaceTooLarge(failed)
  return as === 'workspace' ? new WorkspaceError(failed) : new Error(failed)
}
