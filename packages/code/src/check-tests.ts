/**
 * Finds tests that check nothing. Tests that assert nothing and never call the solution pass for every answer, which
 * is a fault of the case. Only the case is used to find this out, never an answer: first the test source is
 * inspected. If that is not conclusive, the tests run once with the case's reference or, if it has none, with a
 * stand-in that accepts every call.
 */
import { availableParallelism } from 'node:os'
import { type Case, type Suite, isCodeGrade, plain } from '@assay/contract'
import { type Sandbox, SandboxError } from '@assay/sandbox'
import { caseWork, type CodeOptions } from './grade-code.ts'
import { extractCode, type Extracted } from './extract/extract.ts'
import { expectationsOf } from './score.ts'
import type { CodeReport, Language, Look, TestActivity } from './language.ts'
import { languageByName } from './languages.ts'
import { TestsFault } from './tests-fault.ts'
import { isCode } from './toolchains.ts'
import { isNobodys, SKIPPED, suspicionsOf, withReference } from './whose-fault.ts'
import { toolsOf } from './open-tools.ts'

export interface TestFinding {
  readonly suite: Suite
  readonly case: Case
  /** `idle` and `at-fault` are faults; the others are worth a warning. */
  readonly kind: 'idle' | 'at-fault' | 'asserts-nothing' | 'calls-nothing' | 'not-run'
  readonly text: string
}

const TEXTS: Readonly<Record<Exclude<TestFinding['kind'], 'not-run' | 'at-fault'>, string>> = {
  idle: 'the tests assert nothing and call nothing of the solution, so they say nothing about an answer',
  'asserts-nothing':
    'the tests call the solution and assert nothing, so an answer fails only where it throws',
  'calls-nothing':
    'the tests assert something and call nothing of the solution, so they say nothing about an answer',
}

export interface CheckingTests {
  readonly sandbox: Sandbox
  /** Returns the folder of a suite. */
  readonly folderOf: (suite: Suite) => string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Inspects the test source of every code case that has one. Cases for which this is not conclusive are returned in
 * `unclear`. With `every`, all cases are returned there, because only running the tests shows that they load.
 */
export function lookAtTests(
  suites: readonly Suite[],
  { every = false }: { readonly every?: boolean } = {},
): {
  readonly findings: readonly TestFinding[]
  /** The suites with the cases that have to be run. */
  readonly unclear: readonly Suite[]
} {
  const findings: TestFinding[] = []
  const unclear = suites.flatMap((suite) => {
    const cases = suite.cases.filter((one) => {
      const seen = lookAt(one)
      if (seen === 'idle') findings.push(findingOf(suite, one, 'idle'))
      if (seen === 'skipped') findings.push(skipped(suite, one))
      return seen === 'unclear' || (seen === 'active' && every)
    })
    return cases.length === 0 ? [] : [{ ...suite, cases }]
  })
  return { findings, unclear }
}

/** Inspects the tests of one case. Returns null if there are no tests to inspect. */
function lookAt(one: Case): Look | null {
  const { shouldCompile, shouldPassTests } = expectationsOf(one)
  const { tests, entryPoint } = one
  // A case with an empty test source is scored like a case without tests.
  if (!isCode(one) || !shouldCompile || !shouldPassTests || tests === null || tests.trim() === '')
    return null
  return languageByName(one.language ?? '')?.look(tests, entryPoint) ?? null
}

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
 * Null if a test fails, which shows that the tests check something. `error` if the tests cannot be run, `wrong` if
 * they are at fault.
 */
type Counted = TestActivity | { readonly error: string } | { readonly wrong: string } | null

const known = new Map<string, Promise<Counted>>()

/** Runs the tests once per case and caches the result, however many runs ask for it. */
function activityOf(suite: Suite, one: Case, checking: CheckingTests): Promise<Counted> {
  const found = known.get(one.hash)
  if (found !== undefined) return found
  const counting = countIn(suite, one, checking)
  known.set(one.hash, counting)
  // A sandbox failure says nothing about the case, so it is not cached.
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
      const assessed = await toolsOf(language, sandbox).assess({
        ...work(solution),
        lint: false,
        define: false,
        integrity: 'isolated',
        count: true,
      })
      const wrong = wrongWith(assessed, isReference, one, language)
      if (wrong !== null) return { wrong: new TestsFault(wrong).message }
      const activity = countedBy(assessed)
      if (activity !== 'none') return activity
    } catch (error) {
      if (error instanceof TestsFault) return { wrong: error.message }
      // The sandbox failed. Every trial will report that too.
      if (!(error instanceof SandboxError)) throw error
      return { error: error.message }
    }
  }
  return null
}

/** Returns null if a test fails, which shows that the tests check something, and `none` if the tests were not run. */
function countedBy({ compiled, tests, fault, activity }: CodeReport): TestActivity | null | 'none' {
  if (!compiled || tests === null) return 'none'
  if (fault !== null || tests.some(({ passed }) => !passed)) return null
  return activity ?? 'none'
}

/**
 * Returns what the run shows to be wrong with the tests. With a stand-in, only faults that no solution could fix
 * count.
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
  if (!isReference) return suspicions.get(SKIPPED) ?? null
  const found = [...suspicions].find(([key]) => key !== 'none')
  return found === undefined ? null : withReference(...found)
}

interface Tried {
  readonly solution: Extracted
  readonly isReference: boolean
}

function solutionsFor(one: Case, language: Language): Tried[] {
  const reference = one.reference === null ? null : extractCode(one.reference, {}, one, language)
  // If the language has no stand-in, an empty solution shows whether the tests are a valid program at all.
  const source = language.standIn(namesIn(one)) ?? ''
  const standIn = { files: { [language.main]: source }, main: language.main }
  return [
    ...(reference === null ? [] : [{ solution: reference, isReference: true }]),
    { solution: standIn, isReference: false },
  ]
}

const MOST_NAMES = 2000

/** Returns every identifier in the tests, since any of them could be a name of the solution. */
function namesIn({ tests, entryPoint }: Case): string[] {
  const names = new Set(entryPoint === null ? [] : [entryPoint])
  for (const [name] of (tests ?? '').matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu)) names.add(name)
  names.delete('default')
  return [...names].slice(0, MOST_NAMES)
}
