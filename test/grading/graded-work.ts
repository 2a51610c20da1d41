/** Grades the work of scripted agents: runs a shell script as the agent on one case, and returns its trials. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GraderConfig, Trial, WorkspacePlan } from '@assay/contract'
import { graderByType } from '../../packages/assay/src/grade/graders.ts'
import { readTrials } from '../../packages/assay/src/log/index.ts'
import { run } from '../../packages/assay/src/run/run.ts'
import { commandSubject } from '../../packages/assay/src/subject/index.ts'
import { fakeCase, fakeSuite } from '../../packages/assay/test/fakes.ts'
import { planOf } from '../../packages/assay/test/workspaces.ts'

/** Returns a grader of a case, with its options as a suite writes them. */
export const graderOf = (type: string, options: object): GraderConfig => ({
  type,
  name: type,
  weight: 1,
  required: false,
  negate: false,
  options: graderByType(type)?.options.parse(options) as GraderConfig['options'],
})

export interface Work {
  readonly files?: Readonly<Record<string, string>>
  readonly workspace?: Partial<WorkspacePlan>
  readonly graders: readonly GraderConfig[]
  /** A shell script for each agent, by its name. */
  readonly agents: Readonly<Record<string, string>>
  readonly trials?: number
  readonly parallelism?: number
}

/** Returns the trials by the name of their agent. */
export async function gradedWork(work: Work): Promise<ReadonlyMap<string, readonly Trial[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'graded-work-'))
  try {
    const { files = {}, workspace = {}, graders, agents, trials = 1, parallelism = 2 } = work
    await run({
      suites: [fakeSuite([fakeCase('c', { files, workspace: planOf(workspace), graders })])],
      subjects: Object.entries(agents).map(([id, script]) =>
        commandSubject({ id, argv: ['sh', '-c', script], promptAs: 'stdin' }),
      ),
      folder: join(folder, 'run'),
      trials,
      parallelism,
      maxErrors: 1,
    })
    const found = new Map<string, Trial[]>()
    await readTrials(join(folder, 'run'), (trial) => {
      found.set(trial.subject, [...(found.get(trial.subject) ?? []), trial])
    })
    return found
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
