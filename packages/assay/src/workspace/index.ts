/** The folders that agents work in: starts, copies for trials, diffs, and copies for grading. */
export { openWorkspaceStore, type WorkspaceStore, type WorkspaceStoreOptions } from './store.ts'
export { tamperedPaths } from './diff/tampered.ts'
export { asDiff } from './graded-workspace.ts'
export { WorkspaceError } from './workspace-error.ts'
