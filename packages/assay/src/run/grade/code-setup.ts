/**
 * Prepares a run that executes code: opens the sandbox and checks the toolchains. Without a working sandbox the run is
 * refused, unless the user chose to run without one. There is one exception, so that the first command of the guide
 * works on every machine. Assay's own unchanged suites with simulated answers contain no untrusted code. They may run
 * as plain processes, and the run's record says so.
 */
import { dirname, resolve } from 'node:path'
import { plain, type Case, type Subject, type Suite, UsageError } from '@assay/contract'
import {
  graderSandbox,
  hasSandboxedGrader,
  needsSandbox,
  startsCommand,
} from '../../grade/index.ts'
import { prepareCode, refuseLacks, type Toolchains } from '@assay/code'
import { openSandbox, SandboxError, type Sandbox, type SandboxChoice } from '@assay/sandbox'
import { isShipped } from '../../suite/index.ts'
import { needsWorkspaces } from '../workspaces.ts'

export interface CodeSetup {
  readonly sandbox: Sandbox
  readonly toolchains: Toolchains
  /**
   * Says how the limits on memory and other resources are enforced for agents, setup commands and grading commands.
   * Each limit covers a program with its child processes. Null if the run has no such programs.
   */
  readonly programLimits: string | null
  /** The cases that cannot be graded on this machine. The value says what is missing. */
  readonly lacks: ReadonlyMap<Case, string>
}

/**
 * Opens the sandboxes that graders need. Throws a `UsageError` if no sandbox works. The message says how to fix that.
 */
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

export interface SetUpOptions {
  readonly tellsLacks?: boolean
  readonly judges?: readonly Subject[]
}

/**
 * Returns the sandbox and the toolchains of a run. Returns null if the run needs neither: no subject or judge works in
 * a workspace, and no grader runs code. Throws a `UsageError` if something is missing, and says how to fix it. With
 * `tellsLacks`, a case that lacks a package is returned in `lacks` instead of being an error, unless all cases lack
 * one.
 */
export async function setUpCode(
  suites: readonly Suite[],
  subjects: readonly Subject[],
  choice: SandboxChoice,
  { tellsLacks = false, judges = [] }: SetUpOptions = {},
): Promise<CodeSetup | null> {
  const runs = suites.some(({ cases }) => cases.some(needsSandbox))
  const hasWorkspaces = needsWorkspaces(suites, subjects, judges)
  if (!runs && !hasWorkspaces) return null
  const { toolchains, lacks } = await prepareCode(suites)
  // If none of the cases can be graded, the run is refused.
  const lacksAll = suites.every(({ cases }) => cases.every((one) => lacks.has(one)))
  if (!tellsLacks || lacksAll) refuseLacks(suites, lacks)
  const sandbox = await sandboxFor(suites, subjects, choice, hasWorkspaces)
  const startsPrograms = hasWorkspaces || suites.some(({ cases }) => cases.some(startsCommand))
  return {
    sandbox,
    toolchains: { [sandbox.name]: sandbox.version, ...toolchains },
    programLimits: startsPrograms ? sandbox.totalsHeldBy() : null,
    lacks,
  }
}

async function sandboxFor(
  suites: readonly Suite[],
  subjects: readonly Subject[],
  choice: SandboxChoice,
  hasWorkspaces: boolean,
): Promise<Sandbox> {
  try {
    return await openSandbox(choice)
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    const ownOnly =
      !hasWorkspaces &&
      subjects.every(({ kind }) => kind === 'simulated') &&
      suites.every(({ cases }) => cases.filter(needsSandbox).every(isShipped))
    if (choice !== 'auto' || !ownOnly)
      throw new UsageError(withoutSandbox(suites, hasWorkspaces, error.message), { cause: error })
    return { ...(await openSandbox('none')), name: 'process' }
  }
}

const MOST_NAMED = 5

/**
 * Returns a message that says which cases cannot run without a sandbox, why no sandbox works, and which cases can run.
 */
export function withoutSandbox(
  suites: readonly Suite[],
  hasWorkspaces: boolean,
  why: string,
): string {
  const cases = suites.flatMap((suite) => suite.cases)
  const running = cases.filter(needsSandbox)
  const needing = [
    ...(hasWorkspaces ? ['agents and workspaces'] : []),
    ...(running.length === 0
      ? []
      : [`code in ${running.length} of ${cases.length} cases (${namesOf(running)})`]),
  ]
  const others = cases.filter((one) => !needsSandbox(one))
  const rest =
    hasWorkspaces || running.length === 0 || others.length === 0
      ? ''
      : `\nWithout a sandbox, the other cases run: --case ${others.length > MOST_NAMED ? 'with their ids, or --filter with their tags' : others.map(({ id }) => id).join(',')}`
  return `not started, because this run needs a sandbox for ${needing.join(' and for ')}: ${why}${rest}`
}

const namesOf = (cases: readonly Case[]): string =>
  [
    ...cases.slice(0, MOST_NAMED).map(({ id }) => plain(id)),
    ...(cases.length > MOST_NAMED ? ['…'] : []),
  ].join(', ')
