/**
 * Finds tests that do nothing, before the first trial, and reports where they are. A run with such tests is refused,
 * because the results of their cases would be meaningless.
 */
import { dirname } from 'node:path'
import { type Suite, plain } from '@assay/contract'
import { lookAtTests, runTests, type TestFinding } from '@assay/code'
import type { Sandbox } from '@assay/sandbox'
import { SuiteError, type Problem, type Warning } from '../../documents/index.ts'

export interface TestCheck {
  readonly problems: readonly Problem[]
  readonly warnings: readonly Warning[]
}

export interface TestCheckOptions {
  readonly gradeTimeoutMs: number
  readonly signal: AbortSignal
  /**
   * If true, all tests are run. Otherwise tests are run only if static analysis cannot decide whether they check
   * anything.
   */
  readonly every?: boolean
  /** Opens the sandbox in which tests are run. It is called only if static analysis cannot decide for some tests. */
  readonly openSandbox: (unclear: readonly Suite[]) => Promise<Sandbox | null>
}

export async function checkTests(
  suites: readonly Suite[],
  { gradeTimeoutMs, signal, every = false, openSandbox }: TestCheckOptions,
): Promise<TestCheck> {
  const { findings, unclear } = lookAtTests(suites, { every })
  const sandbox = unclear.length === 0 ? null : await openSandbox(unclear)
  const folderOf = ({ path }: Suite): string => dirname(path)
  const counted =
    sandbox === null
      ? []
      : await runTests(unclear, { sandbox, folderOf, timeoutMs: gradeTimeoutMs, signal })
  const found = new Map([...findings, ...counted].map((one) => [one.case, one]))
  const all = suites.flatMap(({ cases }) => cases.flatMap((one) => found.get(one) ?? []))
  return {
    problems: all.filter(isFault).map(problemOf),
    warnings: all.filter((one) => !isFault(one)).map(warningOf),
  }
}

const isFault = ({ kind }: TestFinding): boolean => kind === 'idle' || kind === 'at-fault'

/**
 * Throws a `SuiteError` if a case of the run has tests that do nothing or cannot be run. Other findings are reported as
 * warnings.
 */
export async function refuseIdleTests(
  suites: readonly Suite[],
  options: TestCheckOptions,
  warn: (text: string) => void,
): Promise<void> {
  const { problems, warnings } = await checkTests(suites, options)
  if (problems.length > 0) throw new SuiteError(problems)
  for (const { file, line, text } of warnings)
    warn(`${line === undefined ? file : `${file}:${line}`}: ${text}`)
}

/**
 * Describes a finding. Its line numbers count from the beginning of the tests, so the text names the file with the
 * tests.
 */
function textOf({ suite, case: one, text }: TestFinding): string {
  const { file } = suite.locateTests?.(one.id) ?? {}
  const within =
    file !== undefined
      ? ` (in ${plain(file)})`
      : /\b(?:line |tests:)\d/u.test(text)
        ? ' (lines are counted within the tests)'
        : ''
  return `case ${plain(one.id)}: ${text}${within}`
}

function problemOf(finding: TestFinding): Problem {
  const { suite, case: one } = finding
  const place = suite.locateTests?.(one.id) ?? null
  return {
    file: suite.path,
    line: place?.line ?? null,
    column: place?.column ?? null,
    found: finding.kind === 'idle' ? 'tests that do nothing' : 'tests that cannot be run',
    expected: 'tests that call the solution and assert',
    message: textOf(finding),
  }
}

function warningOf(finding: TestFinding): Warning {
  const { suite, case: one } = finding
  const line = suite.locateTests?.(one.id)?.line
  return { file: suite.path, ...(line === undefined ? {} : { line }), text: textOf(finding) }
}
