/**
 * Decides whether the tests or the answer are at fault when tests fail. Tests that cannot be loaded, contain no test
 * or call an undefined function fail every answer. So a trial with such tests counts as errored (not graded), not as
 * failed.
 *
 * An answer must not be able to decide this. Otherwise a failing answer could turn its trial into an errored one,
 * which does not count in the pass rate. So the report on an answer is only a reason to check. The proof must come
 * from the case. It is either the test source, or the reference, which is run once and must fail in the same way. If
 * there is no reference, a stand-in is run to see whether the tests load a missing module. Without such proof, the
 * answer has failed.
 */
import type { Case, Integrity } from '@assay/contract'
import { extractCode, type Extracted } from '../extract/extract.ts'
import { expectedModules } from '../extract/expected-modules.ts'
import { candidates } from '../extract/needs.ts'
import type { CodeReport, Language } from '../language.ts'
import { standInFor } from './stand-in.ts'
import { allSkipped, TestsFault } from './tests-fault.ts'

/** Ways in which the tests themselves may be wrong: a key for each, and its description for the user. */
type Suspicions = ReadonlyMap<string, string>

export function suspicionsOf(report: CodeReport): Suspicions {
  const found = new Map<string, string>()
  const { compiled, tests, unready, skipped = [], fault } = report
  if (!compiled || tests === null || fault !== null) return found
  if (unready !== undefined) found.set('load', unready.text)
  else if (tests.length === 0 && skipped.length > 0) found.set(SKIPPED, allSkipped(skipped.length))
  else if (tests.length === 0) found.set('none', 'there is no test in them')
  for (const { passed, message } of tests) {
    const name = passed ? null : unknownIn(message ?? '')
    if (name !== null) found.set(`name ${name}`, `they use ${name}, which nobody defines`)
    const [, feature] = UNSUPPORTED.exec(passed ? '' : (message ?? '')) ?? []
    if (feature !== undefined)
      found.set(`feature ${feature}`, `they use ${feature}, which Assay does not have`)
  }
  return found
}

/** Matches the error message of Assay's test library for a feature that it does not implement. */
const UNSUPPORTED = /the tests use (.+?), which Assay does not have/u

/** The key in `Suspicions` for the suspicion that all tests are skipped. */
export const SKIPPED = 'skipped'

const UNKNOWN = [
  /NameError: name '([^']+)' is not defined/u,
  /ModuleNotFoundError: No module named '([^']+)'/u,
  /ReferenceError: (\S+) is not defined/u,
  /the tests import (\S+), which is not there/u,
  /the tests use (.+), which Assay does not have/u,
]

function unknownIn(message: string): string | null {
  for (const pattern of UNKNOWN) {
    const [, name] = pattern.exec(message) ?? []
    if (name !== undefined) return name
  }
  return null
}

const MISSING = [
  /the tests import (\S+), which is not there/u,
  /ModuleNotFoundError: No module named '([^']+)'/u,
]

/**
 * Returns a sentence about a missing module that a test loads, if no answer is expected to provide it. Null if there
 * is no such test.
 */
export function missingModuleIn(
  { tests }: CodeReport,
  { case: one, language }: Pick<Asking, 'case' | 'language'>,
): string | null {
  for (const { passed, message = '' } of tests ?? [])
    for (const pattern of passed ? [] : MISSING) {
      const [, module] = pattern.exec(message) ?? []
      if (module !== undefined && isNobodys(module, one, language))
        return `they import ${module}, which is not there`
    }
  return null
}

/** True if the tests import this missing module and no answer could have provided it. Then the tests are at fault. */
export function isNobodys(module: string, one: Case, language: Language): boolean {
  const name = language.source.moduleOf(module)
  const isIn = (names: Iterable<string>): boolean =>
    [...names].some((other) => other === module || other === name || other.startsWith(`${name}.`))
  const expected = expectedModules(one, language)
  return (
    !isIn(candidates(one, language).map((other) => other.name)) ||
    (expected !== null && !isIn(expected))
  )
}

export interface Asking {
  readonly case: Case
  readonly language: Language
  readonly integrity: Integrity
  /** Runs the tests of the case on a solution, without lint. */
  readonly assess: (reference: Extracted) => Promise<CodeReport>
}

/** Throws `TestsFault` if the case proves that no answer could have passed its tests. */
export async function refuseFaultyTests(report: CodeReport, asking: Asking): Promise<void> {
  const suspicions = suspicionsOf(report)
  if (suspicions.size === 0) return
  const { unready } = report
  if (unready?.module !== undefined && isNobodys(unready.module, asking.case, asking.language))
    throw new TestsFault(unready.text)
  const { tests, entryPoint } = asking.case
  const skips = suspicions.get(SKIPPED)
  // Tests may decide at run time whether to skip, and use values from the solution for that. So only a skip that the
  // test source shows is proof.
  if (skips !== undefined && asking.language.look(tests ?? '', entryPoint) === 'skipped')
    throw new TestsFault(skips)
  const shown = await ofReference(asking)
  for (const key of suspicions.keys()) {
    const text = shown.get(key)
    if (text !== undefined) throw new TestsFault(withReference(key, text))
  }
  const missing = asking.case.reference === null ? missingModuleIn(report, asking) : null
  if (missing !== null && missing === (await ofStandIn(asking))) throw new TestsFault(missing)
}

/**
 * Returns the description of a fault. If running the reference showed the fault, a remark says that the reference
 * fails too.
 */
export const withReference = (key: string, text: string): string =>
  key === SKIPPED || key === 'none' ? text : `${text}; the reference fails with them too`

const known = new Map<string, Promise<Suspicions>>()

/**
 * Returns the suspicions that a run with the reference shows. The reference is run once for each case and integrity
 * level.
 */
function ofReference({ case: one, language, integrity, assess }: Asking): Promise<Suspicions> {
  const reference = one.reference === null ? null : extractCode(one.reference, {}, one, language)
  if (reference === null) return Promise.resolve(new Map())
  const key = `${one.hash} ${integrity}`
  const found = known.get(key)
  if (found !== undefined) return found
  const asked = assess(reference).then(suspicionsOf)
  known.set(key, asked)
  // If the sandbox fails, that says nothing about the case. So the result is removed from the cache.
  asked.catch(() => known.delete(key))
  return asked
}

const standIns = new Map<string, Promise<string | null>>()

/**
 * Returns the sentence about a missing module that a run with a stand-in shows. No answer takes part in that run, so
 * it is proof where a case has no reference.
 */
function ofStandIn(asking: Asking): Promise<string | null> {
  const { case: one, language, integrity, assess } = asking
  const key = `${one.hash} ${integrity}`
  const found = standIns.get(key)
  if (found !== undefined) return found
  const asked = assess(standInFor(one, language)).then((report) => missingModuleIn(report, asking))
  standIns.set(key, asked)
  asked.catch(() => standIns.delete(key))
  return asked
}
