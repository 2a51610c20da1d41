/** Runs work in threads and processes outside of the main thread. */
export {
  RunnerPool,
  type Deadline,
  type PoolOptions,
  type Runner,
  type RunnerEvents,
} from './runner-pool.ts'
export { READY, startThread } from './thread.ts'
