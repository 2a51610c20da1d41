/** The workbench: its server, and the index of runs. */
export { deleteRun } from './delete-run.ts'
export {
  addLabels,
  checkLabels,
  type LabelFault,
} from './review/add-labels.ts'
export { labelsFileSchema, type LabelsFile } from './review/label-input.ts'
export { reviewData, reviewOf } from './review/review-run.ts'
export { folderSize } from './folder-size.ts'
export { readTags, writeTags } from './tags.ts'
export { runsBelow, type FoundRuns } from './find-runs.ts'
export { INDEX_FILE, RunIndex } from './run-index.ts'
export { RunStore } from './run-store.ts'
export type { Services } from './routes.ts'
export { serve, type ViewServer } from './server.ts'
