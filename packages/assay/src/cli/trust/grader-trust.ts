/** Decides whether a suite's grader programs run with the user's permissions or in a sandbox. */
import { programName } from '../output/program-name.ts'
import { shellPath, type Suite } from '@assay/contract'
import { inspectSandbox, type SandboxChoice } from '@assay/sandbox'
import { insistsOnRights, programGraderUses, type NamedBy, type Use } from '../../trust/index.ts'

export interface GraderTrust {
  /** Whether grader programs run in a sandbox because the user has not trusted the folder with them. */
  readonly sandboxGraders: boolean
  /** Whether every grader program is allowed to run with the user's permissions. */
  readonly isTrusted: boolean
  /** A message for the user. Null if no grader is put into the sandbox. */
  readonly notice: string | null
}

interface NamedSuite {
  readonly suite: Suite
  readonly by: NamedBy
}

/**
 * Decides whether graders that are programs run in the sandbox. They do if none of them is trusted yet, none
 * requires the user's permissions, and a sandbox is available. Otherwise every grader needs trust. So if a grader is
 * added to a folder that is already trusted, Assay asks the user.
 */
export async function graderTrust(
  suites: readonly NamedSuite[],
  allows: (use: Use) => boolean,
  sandbox: SandboxChoice | undefined,
): Promise<GraderTrust> {
  const uses = suites.flatMap((one) => programGraderUses(one))
  const untrusted = uses.filter((use) => !allows(use))
  const sandboxGraders =
    untrusted.length > 0 &&
    untrusted.length === uses.length &&
    sandbox !== 'none' &&
    !suites.some(({ suite }) => suite.cases.some(insistsOnRights)) &&
    (await inspectSandbox()).ready
  return {
    sandboxGraders,
    isTrusted: untrusted.length === 0,
    notice: sandboxGraders ? noticeOf(untrusted) : null,
  }
}

function noticeOf(uses: readonly Use[]): string {
  const files = [...new Set(uses.flatMap(({ by }) => by.file ?? []))]
  const command = [`${programName()} trust`, ...files.map(shellPath)].join(' ')
  return `the folder is not trusted, so its graders that are programs run in a sandbox: \`${command}\` lets them run with your rights`
}
