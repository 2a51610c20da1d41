/**
 * A part of `assay validate`: checks whether the tests of a suite's cases test anything. A run makes the same check
 * before its first trial.
 */
import { type Case, plain, type Suite, UsageError } from '@assay/contract'
import { prepareCode } from '@assay/code'
import { closeGraders } from '../../../grade/index.ts'
import { counted } from '../../../text/index.ts'
import { checkTests, RUN_DEFAULTS, setUpCode, type CodeSetup } from '../../../run/index.ts'
import type { SandboxChoice } from '@assay/sandbox'
import { formatWarning, SuiteError, type Problem } from '../../../documents/index.ts'
import type { Output } from '../../output/output.ts'

/** Prints the faults of the tests. Returns true if there are none. */
export async function checkSuiteTests(
  suite: Suite,
  choice: SandboxChoice,
  output: Pick<Output, 'err'>,
  {
    signal = new AbortController().signal,
    gradeTimeoutMs = RUN_DEFAULTS.gradeTimeoutMs,
  }: { readonly signal?: AbortSignal | undefined; readonly gradeTimeoutMs?: number | undefined },
): Promise<boolean> {
  const lacks = await lacksOf(suite)
  const missing = [...lacks].map(([one, text]) => lackProblem(suite, one, text))
  const ready = { ...suite, cases: suite.cases.filter((one) => !lacks.has(one)) }
  let code: CodeSetup | null = null
  try {
    const { problems, warnings } = await checkTests([ready], {
      gradeTimeoutMs,
      signal,
      every: true,
      async openSandbox(unclear) {
        try {
          code = await setUpCode(unclear, [], choice)
        } catch (error) {
          if (!(error instanceof UsageError)) throw error
          const cases = unclear.reduce((sum, one) => sum + one.cases.length, 0)
          const why = error.message.replaceAll(/\n\s*/gu, ' ')
          const text = `the tests of ${counted(cases, 'case')} could not be run to see what they do: ${why}`
          output.err(`${formatWarning({ file: suite.path, text })}\n`)
        }
        return code?.sandbox ?? null
      },
    })
    for (const warning of warnings) output.err(`${formatWarning(warning)}\n`)
    const all = [...missing, ...problems]
    if (all.length > 0) output.err(`${new SuiteError(all).message}\n`)
    return all.length === 0
  } finally {
    await closeGraders()
    await (code as CodeSetup | null)?.sandbox.close()
  }
}

/** Returns the cases whose packages are not installed. A missing toolchain is reported later, when the tests run. */
async function lacksOf(suite: Suite): Promise<ReadonlyMap<Case, string>> {
  try {
    return (await prepareCode([suite])).lacks
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return new Map()
  }
}

function lackProblem(suite: Suite, one: Case, text: string): Problem {
  const place = suite.locateTests?.(one.id) ?? null
  return {
    file: suite.path,
    line: place?.line ?? null,
    column: place?.column ?? null,
    found: 'a dependency that is not there',
    expected: 'packages in the folder vendor',
    message: `case ${plain(one.id)}: ${text}`,
  }
}
