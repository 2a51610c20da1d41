/** The threads of the built-in graders, for work that an answer can make endless. */
import { extname } from 'node:path'
import { startThread, type Deadline } from '../../pool/index.ts'
import { GraderPool, tooMuchMemory } from './grader-pool.ts'
import type { BuiltInTask, Finding } from './task.ts'

const THREAD = {
  // The module `thread` is in the same folder as this file, both in the sources and in the build.
  program: new URL(`./thread${extname(import.meta.url)}`, import.meta.url),
  ended: 'the grading thread ended by itself',
  /** The memory limit in MB, for one task and the cached schemas and patterns. */
  memoryMb: 512,
  outOfMemory: tooMuchMemory,
}

const threads = new GraderPool<BuiltInTask>((events) => startThread(THREAD, events))

/** Runs the task on a thread. Rejects with the same errors as `GraderPool.run`. */
export const runApart = <T extends BuiltInTask>(task: T, deadline: Deadline): Promise<Finding<T>> =>
  threads.run(task, deadline) as Promise<Finding<T>>

/** Ends all grading threads. The next task starts a new one. */
export const closeThreads = (): Promise<void> => threads.close()
