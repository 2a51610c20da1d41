/** The workbench: its server, and the index of runs. */
export { runsBelow, type FoundRuns } from './find-runs.ts'
export { RunIndex } from './run-index.ts'
export { RunStore } from './run-store.ts'
export { serve, type ViewServer } from './server.ts'
