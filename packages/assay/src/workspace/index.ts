/**
 * Workspaces are the folders in which agents work. The code in this folder creates the start of each case, which is the
 * initial content of its workspace. It copies the start for trials and graders, and finds out what a trial changed.
 */
export { openWorkspaceStore, type WorkspaceStore, type WorkspaceStoreOptions } from './store.ts'
export { tamperedPaths } from './diff/tampered.ts'
export { asDiff } from './graded-workspace.ts'
export { WorkspaceError } from './workspace-error.ts'
export type { ReviewWorkspace } from './review-workspace.ts'
export { packCommit, packFolder, unpackFolder } from './transfer.ts'
