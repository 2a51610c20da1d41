/**
 * Workspaces, the folders in which agents work. This folder creates the start of each case, copies it for trials
 * and graders, and computes diffs.
 */
export { openWorkspaceStore, type WorkspaceStore, type WorkspaceStoreOptions } from './store.ts'
export { tamperedPaths } from './diff/tampered.ts'
export { asDiff } from './graded-workspace.ts'
export { WorkspaceError } from './workspace-error.ts'
export type { ReviewWorkspace } from './review-workspace.ts'
export { packCommit, packFolder, unpackFolder } from './transfer.ts'
