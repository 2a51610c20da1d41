/**
 * Computes the verdict on named tests from the reported results. Each named test must be reported exactly once and
 * must pass. If a canary (an added test with a known result) has the wrong result, the report was tampered with.
 * Exit codes are ignored.
 */
import { plain } from '@assay/contract'
import { shortened } from '../shown.ts'
import type { Canary } from './canaries.ts'
import { leafOf, type Reported } from './dialect.ts'

export interface NamedResult {
  readonly name: string
  readonly result: 'passed' | 'failed' | 'skipped' | 'missing' | 'duplicated'
}

export interface TestsVerdict {
  readonly results: readonly NamedResult[]
  /** The share of named tests that were reported once and passed. */
  readonly score: number
  /** The sign that the report was tampered with; null if there is none. */
  readonly tampered: string | null
}

export function testsVerdict(
  named: readonly string[],
  reported: readonly Reported[],
  canaries: readonly Canary[],
  { separator, foreign }: { readonly separator: string; readonly foreign: number },
): TestsVerdict {
  const names = new Set(canaries.map(({ name }) => name))
  const ofWork = reported.filter(({ id }) => !names.has(leafOf(id, separator)))
  const results = named.map((name) => ({ name, result: resultOf(name, ofWork, separator) }))
  const passed = results.filter(({ result }) => result === 'passed').length
  const passing = new Set(
    results.filter(({ result }) => result === 'passed').map(({ name }) => name),
  )
  const tampered =
    foreign > 0
      ? 'something other than the test runner wrote to the report'
      : tamperedCanary(canaries, reported, passing, passed === named.length, separator)
  return { results, score: passed / named.length, tampered }
}

/**
 * Returns the result of a named test. The name may be the full name of a test, or its last parts without the groups
 * before them. `*` matches any text.
 */
function resultOf(
  name: string,
  reported: readonly Reported[],
  separator: string,
): NamedResult['result'] {
  const matches = name.includes('*') ? patternOf(name) : null
  const found =
    matches === null
      ? reported.filter(({ id }) => id === name || id.endsWith(`${separator}${name}`))
      : reported.filter(({ id }) => matches.test(id))
  const [first] = found
  if (first === undefined) return 'missing'
  if (new Set(found.map(({ id }) => id)).size < found.length) return 'duplicated'
  if (matches === null && found.length > 1) return 'duplicated'
  const bad =
    found.find(({ status }) => status === 'failed') ??
    found.find(({ status }) => status !== 'passed')
  return bad?.status ?? 'passed'
}

const patternOf = (name: string): RegExp =>
  new RegExp(
    `^${name
      .split(/\*+/u)
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\/]/gu, String.raw`\$&`))
      .join('.*')}$`,
    'su',
  )

/**
 * Returns the sign of tampering that the canaries show, or null. Wrong work can pass a canary with a changed expected
 * value without any tampering. So a canary whose result depends on the work counts only if the tests that it belongs to
 * pass. A missing canary counts only if all named tests pass, because work that crashes also stops later tests.
 */
function tamperedCanary(
  canaries: readonly Canary[],
  reported: readonly Reported[],
  passing: ReadonlySet<string>,
  isAllPassed: boolean,
  separator: string,
): string | null {
  // Look first at the canaries that do not depend on the work. They show more clearly what was tampered with.
  const ordered = [...canaries].sort((a, b) => Number(a.ofWork) - Number(b.ofWork))
  for (const { name, must, of, ofWork } of ordered) {
    const found = reported.filter(({ id }) => leafOf(id, separator) === name)
    const [first] = found
    if (must === 'failed' && found.some(({ status }) => status === 'passed')) {
      if (!ofWork)
        return 'a test that must fail was reported as passed: the assertions, the runner or its report were changed'
      if (of !== undefined && passing.has(of))
        return `${shown(of)} passes with a wrong expected value too: its comparison was changed, or the value is equal to everything`
      if (of === undefined && isAllPassed)
        return 'an expression that must be false holds: its comparison was changed, or the value is equal to everything'
    }
    if (!isAllPassed) continue
    if (first === undefined)
      return 'tests that Assay added to the test files were not reported: another program than the test runner reported, or it was stopped. If the command selects tests by name, set canaries = false'
    if (found.length > 1) return 'a test that Assay added was reported more than once'
    if (first.status === 'skipped' || (must === 'passed' && first.status === 'failed'))
      return `a test that must ${must === 'passed' ? 'pass' : 'fail'} was reported as ${first.status}`
  }
  return null
}

export const shown = (name: string): string => `"${plain(shortened(name, 80))}"`

const MOST_NAMED = 3

/** Returns a text for people that lists the named tests which did not pass. */
export function failuresOf(results: readonly NamedResult[]): string {
  const words = {
    failed: 'failed',
    skipped: 'skipped',
    missing: 'not reported',
    duplicated: 'reported more than once',
  } as const
  return Object.entries(words)
    .flatMap(([result, text]) => {
      const list = results.filter((one) => one.result === result)
      if (list.length === 0) return []
      const names = list.slice(0, MOST_NAMED).map(({ name }) => shown(name))
      return [
        `${text}: ${names.join(', ')}${list.length > names.length ? ` and ${list.length - names.length} more` : ''}`,
      ]
    })
    .join('; ')
}
