/**
 * What a run that runs code needs before it starts: a sandbox that works and toolchains that are there.
 * Where the sandbox is missing it is refused, unless the user chose to do without; one exception keeps the
 * first command of the guide working everywhere: the suites of this package, unchanged, answered from
 * themselves, hold no code of a stranger and may run as plain processes, which is stamped on the run.
 */
import { dirname, resolve } from 'node:path'
import { type Case, type Subject, type Suite, UsageError } from '@assay/contract'
import { graderSandbox, hasSandboxedGrader, needsSandbox } from '../../grade/index.ts'
import { prepareCode, refuseLacks, type Toolchains } from '@assay/code'
import { openSandbox, SandboxError, type Sandbox, type SandboxChoice } from '@assay/sandbox'
import { isShipped } from '../../suite/index.ts'
import { needsWorkspaces } from '../workspaces.ts'

export interface CodeSetup {
  readonly sandbox: Sandbox
  readonly toolchains: Toolchains
  /** Cases that cannot be graded here, each with what is missing. */
  readonly lacks: ReadonlyMap<Case, string>
}

/** Throws a `UsageError` where a grader is to run in a sandbox and cannot, with how to mend that. */
export async function setUpGraders(
  suites: readonly Suite[],
  sandboxGraders: boolean,
): Promise<void> {
  try {
    for (const { cases, path } of suites)
      if (cases.some((one) => hasSandboxedGrader(one, { sandboxGraders })))
        await graderSandbox(dirname(resolve(path)))
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    throw new UsageError(`no sandbox for a grader: ${error.message}`, { cause: error })
  }
}

/**
 * Null where nobody acts and no grading runs anything of an answer. Throws a `UsageError` with how to mend what is
 * missing; with `tellsLacks`, cases that lack a package are returned as long as others do not.
 */
export async function setUpCode(
  suites: readonly Suite[],
  subjects: readonly Subject[],
  choice: SandboxChoice,
  { tellsLacks = false }: { readonly tellsLacks?: boolean } = {},
): Promise<CodeSetup | null> {
  const runs = suites.some(({ cases }) => cases.some(needsSandbox))
  if (!runs && !needsWorkspaces(suites, subjects)) return null
  const { toolchains, lacks } = await prepareCode(suites)
  // Where nothing could be graded, nothing is run.
  const lacksAll = suites.every(({ cases }) => cases.every((one) => lacks.has(one)))
  if (!tellsLacks || lacksAll) refuseLacks(suites, lacks)
  const sandbox = await sandboxFor(suites, subjects, choice)
  return { sandbox, toolchains: { [sandbox.name]: sandbox.version, ...toolchains }, lacks }
}

async function sandboxFor(
  suites: readonly Suite[],
  subjects: readonly Subject[],
  choice: SandboxChoice,
): Promise<Sandbox> {
  try {
    return await openSandbox(choice)
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    const ownOnly =
      !needsWorkspaces(suites, subjects) &&
      subjects.every(({ kind }) => kind === 'simulated') &&
      suites.every(({ cases }) => cases.filter(needsSandbox).every(isShipped))
    if (choice !== 'auto' || !ownOnly) throw new UsageError(error.message, { cause: error })
    return { ...(await openSandbox('none')), name: 'process' }
  }
}
