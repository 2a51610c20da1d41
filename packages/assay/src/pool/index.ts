/** Runs tasks in other threads and processes, so that they do not block the main thread. */
export {
  RunnerPool,
  type Deadline,
  type PoolOptions,
  type Runner,
  type RunnerEvents,
} from './runner-pool.ts'
export { MODULE_FLAGS, readProjectModules } from './project-modules.ts'
export { READY, startThread } from './thread.ts'
