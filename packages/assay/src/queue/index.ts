/** Runs trials on many machines that are connected by Redis. A run has one coordinator, and workers run its trials. */
export { queueEngine, LOCK_MS, type QueueEngineOptions } from './coordinator/coordinator.ts'
export type { SubjectRecipe } from './coordinator/recipe.ts'
export {
  QueueWorker,
  WORKER_DEFAULTS,
  type WorkerOptions,
  type WorkerState,
} from './worker/worker.ts'
export type { WorkerEvent } from './worker/worker-events.ts'
export { serveHealth, type HealthServer } from './worker/health.ts'
export { KEY_VARIABLE } from './sign.ts'
export { cancelRun, inspectQueue, type QueueView } from './inspect-queue.ts'
export { shownAddress } from './redis/connect.ts'
