/**
 * `assay validate`: checks whether the tests of a suite's cases test anything. A run checks the same before its first
 * trial.
 */
import { type Suite, UsageError } from '@assay/contract'
import { closeGraders } from '../../../grade/index.ts'
import { counted } from '../../../text/index.ts'
import { checkTests, RUN_DEFAULTS, setUpCode, type CodeSetup } from '../../../run/index.ts'
import type { SandboxChoice } from '@assay/sandbox'
import { formatWarning, SuiteError } from '../../../documents/index.ts'
import type { Output } from '../../output/output.ts'

/** Returns true if no case has faulty tests. Prints the faults found. */
export async function checkSuiteTests(
  suite: Suite,
  choice: SandboxChoice,
  output: Pick<Output, 'err'>,
  {
    signal = new AbortController().signal,
    gradeTimeoutMs = RUN_DEFAULTS.gradeTimeoutMs,
  }: { readonly signal?: AbortSignal | undefined; readonly gradeTimeoutMs?: number | undefined },
): Promise<boolean> {
  let code: CodeSetup | null = null
  try {
    const { problems, warnings } = await checkTests([suite], {
      gradeTimeoutMs,
      signal,
      every: true,
      async openSandbox(unclear) {
        try {
          code = await setUpCode(unclear, [], choice)
        } catch (error) {
          if (!(error instanceof UsageError)) throw error
          const cases = unclear.reduce((sum, one) => sum + one.cases.length, 0)
          const [why = ''] = error.message.split('\n', 1)
          const text = `the tests of ${counted(cases, 'case')} could not be run to see what they do: ${why}`
          output.err(`${formatWarning({ file: suite.path, text })}\n`)
        }
        return code?.sandbox ?? null
      },
    })
    for (const warning of warnings) output.err(`${formatWarning(warning)}\n`)
    if (problems.length > 0) output.err(`${new SuiteError(problems).message}\n`)
    return problems.length === 0
  } finally {
    await closeGraders()
    await (code as CodeSetup | null)?.sandbox.close()
  }
}
