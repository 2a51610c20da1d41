/**
 * Finds tests that check nothing. Tests that assert nothing and never call the solution pass for every answer, which
 * is a fault of the case. Only the case is used to find such tests, never an answer. First the test source is
 * inspected. If the source does not show what the tests do, the tests run once with the case's reference. If the case
 * has no reference, they run with a stand-in: a generated solution that accepts every call.
 */
import { availableParallelism } from 'node:os'
import { type Case, type Suite, isCodeGrade, plain } from '@assay/contract'
import { type Sandbox, SandboxError } from '@assay/sandbox'
import { caseWork, integrityOfTests, isIntegrityGiven, type CodeOptions } from './grade-code.ts'
import { extractCode, type Extracted } from './extract/extract.ts'
import { expectationsOf } from './score.ts'
import type { CodeReport, Language, Look, TestActivity } from './language.ts'
import { languageByName } from './languages.ts'
import { NeedsInProcess, TestsFault } from './fault/tests-fault.ts'
import { isCode } from './toolchains.ts'
import {
  isNobodys,
  missingModuleIn,
  SKIPPED,
  suspicionsOf,
  withReference,
} from './fault/whose-fault.ts'
import { standInFor } from './fault/stand-in.ts'
import { toolsOf } from './open-tools.ts'

export interface TestFinding {
  readonly suite: Suite
  readonly case: Case
  /**
   * `idle` (the tests check nothing) and `at-fault` (the tests cannot pass) are faults of the case. The other kinds
   * are only warnings.
   */
  readonly kind:
    | 'idle'
    | 'at-fault'
    | 'asserts-nothing'
    | 'calls-nothing'
    | 'mostly-skipped'
    | 'not-run'
  readonly text: string
}

const TEXTS: Readonly<
  Record<Exclude<TestFinding['kind'], 'not-run' | 'at-fault' | 'mostly-skipped'>, string>
> = {
  idle: 'the tests assert nothing and call nothing of the solution, so they say nothing about an answer',
  'asserts-nothing':
    'the tests call the solution and assert nothing, so an answer fails only where it throws',
  'calls-nothing':
    'the tests assert something and call nothing of the solution, so they say nothing about an answer',
}

export interface CheckingTests {
  readonly sandbox: Sandbox
  /** Returns the path of the folder that contains the suite. */
  readonly folderOf: (suite: Suite) => string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Inspects the test source of every code case that has one. If the source does not show what the tests do, the case
 * is returned in `unclear`. With `every`, cases whose tests look active are returned in `unclear` too, because only
 * running the tests shows that they can be loaded.
 */
export function lookAtTests(
  suites: readonly Suite[],
  { every = false }: { readonly every?: boolean } = {},
): {
  readonly findings: readonly TestFinding[]
  /** The suites, each reduced to the cases whose tests must be run. */
  readonly unclear: readonly Suite[]
} {
  const findings: TestFinding[] = []
  const unclear = suites.flatMap((suite) => {
    const cases = suite.cases.filter((one) => {
      const seen = lookAt(one)
      if (seen === 'idle') findings.push(findingOf(suite, one, 'idle'))
      if (seen === 'skipped') findings.push(skipped(suite, one))
      const undeclared = seen === null ? null : undeclaredIn(one)
      if (undeclared !== null) {
        findings.push({ suite, case: one, kind: 'at-fault', text: undeclared })
        return false
      }
      return seen === 'unclear' || (seen === 'active' && every)
    })
    return cases.length === 0 ? [] : [{ ...suite, cases }]
  })
  return { findings, unclear }
}

/** Inspects the tests of one case. Returns null if the case has no tests to inspect. */
function lookAt(one: Case): Look | null {
  const { shouldCompile, shouldPassTests } = expectationsOf(one)
  const { tests, entryPoint } = one
  // A case with an empty test source is scored like a case without tests.
  if (!isCode(one) || !shouldCompile || !shouldPassTests || tests === null || tests.trim() === '')
    return null
  return languageByName(one.language ?? '')?.look(tests, entryPoint) ?? null
}

/** Returns a sentence about packages that the tests import and the case does not declare; null if there are none. */
function undeclaredIn(one: Case): string | null {
  const { tests, dependencies, module } = one
  const imported = languageByName(one.language ?? '')?.packagesIn?.(tests ?? '') ?? []
  const names = new Set([...dependencies.map(({ name }) => name), module])
  const missing = imported.filter((path) => !names.has(path) && !names.has(packageOf(path)))
  if (missing.length === 0) return null
  const what = missing.join(', ')
  return new TestsFault(
    `the tests import ${what}, which the case does not declare in its dependencies`,
  ).message
}

/** Returns the package name in an import path: `@scope/name` for `@scope/name/part`. */
const packageOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/')

/** Runs the tests of each case in these suites once, and returns the problems found. */
export async function runTests(
  suites: readonly Suite[],
  checking: CheckingTests,
): Promise<TestFinding[]> {
  const waiting = suites.flatMap((suite) => suite.cases.map((one) => [suite, one] as const))
  const found = new Map<Case, TestFinding>()
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [suite, one] = next
      const activity = await activityOf(suite, one, checking)
      if (activity === null) continue
      if ('wrong' in activity)
        found.set(one, { suite, case: one, kind: 'at-fault', text: line(activity.wrong) })
      else if ('skips' in activity)
        found.set(one, { suite, case: one, kind: 'mostly-skipped', text: activity.skips })
      else if ('error' in activity) found.set(one, notRun(suite, one, activity.error))
      else {
        const kind = kindOf(activity)
        if (kind !== null) found.set(one, findingOf(suite, one, kind))
      }
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return suites.flatMap(({ cases }) => cases.flatMap((one) => found.get(one) ?? []))
}

function kindOf({ assertions, uses }: TestActivity): keyof typeof TEXTS | null {
  if (assertions > 0) return uses > 0 ? null : 'calls-nothing'
  return uses > 0 ? 'asserts-nothing' : 'idle'
}

const findingOf = (suite: Suite, one: Case, kind: keyof typeof TEXTS): TestFinding => ({
  suite,
  case: one,
  kind,
  text: TEXTS[kind],
})

const skipped = (suite: Suite, one: Case): TestFinding => ({
  suite,
  case: one,
  kind: 'at-fault',
  text: new TestsFault('all of their tests are skipped').message,
})

const notRun = (suite: Suite, one: Case, error: string): TestFinding => ({
  suite,
  case: one,
  kind: 'not-run',
  text: `the tests could not be run to see what they do: ${line(error)}`,
})

const line = (text: string): string => plain(text.split('\n', 1)[0] ?? '')

/**
 * The outcome of running a case's tests. It is null if a test fails, because then the tests check something.
 * - `error`: the tests cannot be run.
 * - `wrong`: the tests themselves are faulty.
 * - `skips`: most of the tests are skipped.
 */
type Counted =
  | TestActivity
  | { readonly error: string }
  | { readonly wrong: string }
  | { readonly skips: string }
  | null

const known = new Map<string, Promise<Counted>>()

/**
 * Runs the tests of a case and caches the result by the hash of the case, so that later calls do not run them again.
 */
function activityOf(suite: Suite, one: Case, checking: CheckingTests): Promise<Counted> {
  const found = known.get(one.hash)
  if (found !== undefined) return found
  const counting = countIn(suite, one, checking)
  known.set(one.hash, counting)
  // If the sandbox fails, that says nothing about the case. So the result is removed from the cache, and the next
  // call runs the tests again.
  const forget = (): boolean => known.delete(one.hash)
  counting.then((counted) => counted !== null && 'error' in counted && forget()).catch(forget)
  return counting
}

async function countIn(
  suite: Suite,
  one: Case,
  { sandbox, folderOf, timeoutMs, signal }: CheckingTests,
): Promise<Counted> {
  const language = languageByName(one.language ?? '')
  if (language === undefined) return null
  const options = one.graders.find(isCodeGrade)?.options as unknown as CodeOptions
  const work = caseWork(one, folderOf(suite), options, { signal, timeoutMs })
  for (const { solution, isReference } of solutionsFor(one, language)) {
    try {
      const tools = toolsOf(language, sandbox)
      const plainWork = { ...work(solution), lint: false, define: false }
      const integrity = integrityOfTests(one, options, language) ?? 'isolated'
      const assessed = await tools
        .assess({ ...plainWork, integrity, count: true })
        .catch((error: unknown) => {
          if (!(error instanceof NeedsInProcess) || isIntegrityGiven(options)) throw error
          // An in-process run counts no assertions, but it still shows whether the tests can be loaded.
          return tools.assess({ ...plainWork, integrity: 'in-process' })
        })
      const wrong = wrongWith(assessed, isReference, one, language)
      if (wrong !== null) return { wrong: new TestsFault(wrong).message }
      const skips = mostlySkipped(assessed, language)
      if (skips !== null) return { skips }
      const activity = countedBy(assessed)
      if (activity !== 'none') return activity
    } catch (error) {
      if (error instanceof TestsFault) return { wrong: error.message }
      // A failure of the sandbox is not a fault of the case. Every trial of the case will report it anyway.
      if (!(error instanceof SandboxError)) throw error
      return { error: error.message }
    }
  }
  return null
}

/** Returns a warning if more tests are skipped than run. */
function mostlySkipped(report: CodeReport, language: Language): string | null {
  const run = report.tests?.length ?? 0
  const left = report.skipped?.length ?? 0
  if (run === 0 || left <= run) return null
  const how = language.caseKeys.includes('includeIgnored')
    ? ' (includeIgnored = true runs them)'
    : ''
  return `${left} of the ${run + left} tests are skipped${how}: an answer is graded by ${run === 1 ? 'one test' : `${run} tests`}`
}

/**
 * Returns what the tests did. Null if a test fails, which shows that the tests check something. `none` if the tests did
 * not run or were not counted.
 */
function countedBy({ compiled, tests, fault, activity }: CodeReport): TestActivity | null | 'none' {
  if (!compiled || tests === null) return 'none'
  if (fault !== null || tests.some(({ passed }) => !passed)) return null
  return activity ?? 'none'
}

/**
 * Returns what is wrong with the tests, after running them; null if nothing is. If they ran with a stand-in instead
 * of the reference, a failure may be caused by the stand-in. Then only faults that no solution could fix are
 * returned.
 */
function wrongWith(
  report: CodeReport,
  isReference: boolean,
  one: Case,
  language: Language,
): string | null {
  const { unready } = report
  if (unready?.module !== undefined && isNobodys(unready.module, one, language)) return unready.text
  const suspicions = suspicionsOf(report)
  // A stand-in never reports a missing module. So such a report is about a module that the tests load.
  if (!isReference)
    return suspicions.get(SKIPPED) ?? missingModuleIn(report, { case: one, language })
  const found = [...suspicions].find(([key]) => key !== 'none')
  return found === undefined ? null : withReference(...found)
}

interface Tried {
  readonly solution: Extracted
  readonly isReference: boolean
}

function solutionsFor(one: Case, language: Language): Tried[] {
  const reference = one.reference === null ? null : extractCode(one.reference, {}, one, language)
  return [
    ...(reference === null ? [] : [{ solution: reference, isReference: true }]),
    { solution: standInFor(one, language), isReference: false },
  ]
}
