/** The folders that agents work in: their starts, the trials' copies, what was changed, and grading's own. */
export { openWorkspaceStore, type WorkspaceStore, type WorkspaceStoreOptions } from './store.ts'
export { tamperedPaths } from './diff/tampered.ts'
export { asDiff } from './graded-workspace.ts'
export { WorkspaceError } from './workspace-error.ts'
