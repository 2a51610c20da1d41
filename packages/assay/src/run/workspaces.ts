/** Determines which trials and judges need a workspace. */
import type { Case, GraderConfig, Subject, Suite } from '@assay/contract'
import { graderByType, type Exploration } from '../grade/index.ts'
import { SandboxError } from '@assay/sandbox'
import type { WorkspaceStore } from '../workspace/index.ts'

/** Whether the subject answers the case by working in a folder, not only with text. */
export const worksInWorkspace = ({ kind }: Pick<Subject, 'kind'>, one: Case): boolean =>
  kind === 'agent' || (kind === 'command' && one.workspace !== null)

/**
 * Whether the run needs workspaces: for a subject that works in one, for a case that has one, or for a judge that
 * explores one.
 */
export const needsWorkspaces = (
  suites: readonly Suite[],
  subjects: readonly Pick<Subject, 'kind'>[],
  judges: readonly Pick<Subject, 'kind'>[] = [],
): boolean =>
  subjects.some(({ kind }) => kind === 'agent') ||
  suites.some(({ cases }) => cases.some(({ workspace }) => workspace !== null)) ||
  judges.some((judge) =>
    suites.some(({ cases }) =>
      cases.some(({ graders }) => graders.some((grader) => explores(judge, grader))),
    ),
  )

/**
 * Whether the judge works in a copy of the workspace that it grades. Agents always do. Commands do if the grader says
 * so.
 */
export function explores(judge: Pick<Subject, 'kind'>, { type, options }: GraderConfig): boolean {
  const own = graderByType(type)?.judges
  return own !== undefined && isExploring(judge, own.exploration(options))
}

export const isExploring = (
  { kind }: Pick<Subject, 'kind'>,
  { isWanted }: Pick<Exploration, 'isWanted'>,
): boolean => kind === 'agent' || (kind === 'command' && isWanted)

export function neededStore({ workspaces }: { readonly workspaces: WorkspaceStore | null }) {
  if (workspaces === null) throw new SandboxError('there is no place for workspaces in this run')
  return workspaces
}
