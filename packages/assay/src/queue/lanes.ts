/**
 * Divides the trials of a plan into lanes. All trials of a lane need the same things from a worker: a subject with its
 * API key, judges, a toolchain, a sandbox. Each lane has its own queue. So trials that no worker can run do not block
 * other trials, and a worker never takes a job that it cannot run.
 */
import { isCode } from '@assay/code'
import type { Case, Subject, Suite } from '@assay/contract'
import { hashOf } from '@assay/contract/hash'
import { isModulePath } from '../documents/index.ts'
import { needsSandbox } from '../grade/index.ts'
import { judgesIn, needsWorkspaces } from '../run/index.ts'
import { hasPrograms } from '../trust/index.ts'
import type { Lane } from './messages.ts'

/** Whether a worker needs files of the project's folder to run trials of the case. */
function needsProject(suite: Suite, one: Case): boolean {
  return (
    isModulePath(suite.path) ||
    hasPrograms({ cases: [one] }) ||
    // The packages that a case depends on are in a folder next to its suite.
    one.dependencies.length > 0
  )
}

export function laneOf(
  { suite, case: one, subject }: { suite: Suite; case: Case; subject: Subject },
  judges: readonly Subject[],
  /** Whether the settings of this subject or judge refer to files of the project. */
  usesProject: (subject: Subject) => boolean,
): Lane {
  const alone = [{ ...suite, cases: [one] }]
  const asked = judgesIn(alone)
  const own = judges.filter(({ id }) => asked.includes(id))
  const needs = {
    suite: suite.id,
    subject: subject.id,
    pool: subject.pool,
    judges: own.map(({ id }) => id),
    language: isCode(one) ? one.language : null,
    sandbox: needsSandbox(one),
    workspace: needsWorkspaces(alone, [subject], judges),
    project: needsProject(suite, one) || [subject, ...own].some(usesProject),
  }
  return { id: hashOf(needs).slice(0, 12), ...needs }
}
