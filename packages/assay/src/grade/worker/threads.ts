/** Threads of the built-in graders, for work that an answer can make endless. */
import { extname } from 'node:path'
import { startThread, type Deadline } from '../../pool/index.ts'
import { GraderPool, tooMuchMemory } from './grader-pool.ts'
import type { BuiltInTask, Finding } from './task.ts'

const THREAD = {
  // Next to this file, in the sources as in what is built from them.
  program: new URL(`./thread${extname(import.meta.url)}`, import.meta.url),
  ended: 'the grading thread ended by itself',
  /** For one task and the schemas and patterns kept for others. */
  memoryMb: 512,
  outOfMemory: tooMuchMemory,
}

const threads = new GraderPool<BuiltInTask>((events) => startThread(THREAD, events))

/** Does the task on a thread. Rejects as a `GraderPool` does. */
export const runApart = <T extends BuiltInTask>(task: T, deadline: Deadline): Promise<Finding<T>> =>
  threads.run(task, deadline) as Promise<Finding<T>>

/** Ends all grading threads. The next task starts a new one. */
export const closeThreads = (): Promise<void> => threads.close()
