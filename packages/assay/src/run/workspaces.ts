/** Which trials have a workspace, and where those come from. */
import type { Case, Subject, Suite } from '@assay/contract'
import { SandboxError } from '@assay/sandbox'
import type { WorkspaceStore } from '../workspace/index.ts'

/** Whether the subject acts in a folder to answer the case, rather than with words alone. */
export const worksInWorkspace = ({ kind }: Pick<Subject, 'kind'>, one: Case): boolean =>
  kind === 'agent' || (kind === 'command' && one.workspace !== null)

/** Whether any trial acts in a workspace, or is graded with one. */
export const needsWorkspaces = (
  suites: readonly Suite[],
  subjects: readonly Pick<Subject, 'kind'>[],
): boolean =>
  subjects.some(({ kind }) => kind === 'agent') ||
  suites.some(({ cases }) => cases.some(({ workspace }) => workspace !== null))

export function neededStore({ workspaces }: { readonly workspaces: WorkspaceStore | null }) {
  if (workspaces === null) throw new SandboxError('there is no place for workspaces in this run')
  return workspaces
}
