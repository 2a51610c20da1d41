import { codeScore } from '@assay/metrics'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Expectations } from '@assay/contract'
import { gradeNoCode, gradeReport } from './score.ts'
import type { CodeReport, Diagnostic } from './language.ts'

const warning: Diagnostic = {
  file: 'solution.ts',
  line: 1,
  column: 2,
  code: 'no-debugger',
  message: 'Unexpected debugger',
}
const report = (given: Partial<CodeReport> = {}): CodeReport => ({
  compiled: true,
  errors: [],
  notes: [],
  tests: [],
  warnings: [],
  defined: null,
  fault: null,
  ...given,
})
const tests = (passed: number, failed: number) => [
  ...Array.from({ length: passed }, (_, i) => ({ name: `good ${i}`, passed: true })),
  ...Array.from({ length: failed }, (_, i) => ({
    name: `bad ${i}`,
    passed: false,
    message: '1 ≠ 2',
  })),
]
const expecting = (given: Partial<Expectations> = {}) => ({
  lint: null,
  expectations: {
    shouldCompile: true,
    shouldPassTests: true,
    maxWarnings: null,
    functions: [],
    types: [],
    customCheck: null,
    ...given,
  },
})
const plainCase = { lint: null, expectations: null }

describe('the score', () => {
  it('is exactly the document’s, whatever was found', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.nat(20), fc.nat(20), fc.nat(15), (compiled, good, bad, many) => {
        const found = report({
          compiled,
          tests: compiled ? tests(good, bad) : null,
          warnings: Array.from({ length: many }, () => warning),
        })
        const { score, passed, details } = gradeReport(found, plainCase, 'isolated')
        expect(score).toBe(codeScore({ compiled, passed: good, failed: bad, warnings: many }))
        expect(passed).toBe(compiled && good > 0 && bad === 0)
        expect(details?.map(({ name }) => name)).toEqual(['compile', 'tests', 'lint'])
        // The score is the weighted sum of the parts, except that it is 0 if the code did not compile.
        const sum = (details ?? []).reduce((all, one) => all + one.weight * (one.score ?? 0), 0)
        expect(score).toBeCloseTo(compiled ? sum : 0, 12)
      }),
    )
  })

  it('is told with one warning and one test in the singular', () => {
    const one = gradeReport(
      report({ tests: tests(1, 0), warnings: [warning] }),
      plainCase,
      'isolated',
    )
    expect(one.reason).toBe('compiles, its test passes, 1 warning')
    expect(one.details?.[1]?.reason).toBe('1 of 1 test passed')
    expect(one.details?.[2]?.reason).toMatch(/^1 warning, such as solution\.ts:1:2 /)
    const many = expecting({ maxWarnings: 0 })
    expect(
      gradeReport(report({ tests: tests(1, 0), warnings: [warning] }), many, 'isolated').reason,
    ).toMatch(/^1 lint warning, at most 0 allowed/)
  })

  it('weighs its parts as the suite says', () => {
    const found = report({ tests: tests(1, 1), warnings: [warning] })
    const weights = { compilation: 0.2, tests: 0.8, lint: 0, perWarning: 0.1 }
    const { score, details } = gradeReport(found, plainCase, 'isolated', weights)
    expect(score).toBeCloseTo(0.6, 12)
    expect(details?.map(({ name, weight }) => [name, weight])).toEqual([
      ['compile', 0.2],
      ['tests', 0.8],
      ['lint', 0],
    ])
  })

  it('is half at best without tests, failed, and flagged', () => {
    const tested = gradeReport(report(), plainCase, 'isolated')
    expect(tested).toMatchObject({ score: 0.5, passed: false, facts: { noTests: true } })
    expect(tested.integrity).toBeUndefined()
  })

  it('counts what is not linted as clean, and says so', () => {
    const tested = gradeReport(
      report({ tests: tests(2, 0), warnings: null }),
      { ...plainCase, lint: 'off' },
      'isolated',
    )
    expect(tested).toMatchObject({ score: 1, passed: true })
    expect(tested.reason).toContain('not linted')
  })

  it('of an answer without code is nothing', () => {
    expect(gradeNoCode()).toMatchObject({ score: 0, passed: false, cause: 'no-code' })
  })
})

describe('expectations', () => {
  it('turn the verdict of code that must not compile', () => {
    const must = expecting({ shouldCompile: false })
    const refused = report({ compiled: false, tests: null, errors: [warning] })
    expect(gradeReport(refused, must, 'isolated')).toMatchObject({ score: 1, passed: true })
    expect(gradeReport(report(), must, 'isolated')).toMatchObject({ score: 0, passed: false })
  })

  it('count tests that are not run as passed', () => {
    const skipped = expecting({ shouldPassTests: false })
    expect(gradeReport(report({ tests: null }), skipped, 'isolated')).toMatchObject({
      score: 1,
      passed: true,
    })
    const broken = report({ compiled: false, tests: null, errors: [warning] })
    expect(gradeReport(broken, skipped, 'isolated')).toMatchObject({ score: 0, passed: false })
  })

  it('fail a verdict for warnings, functions and types, and leave the score', () => {
    const found = report({
      tests: tests(1, 0),
      warnings: [warning, warning],
      defined: { functions: ['f'], types: ['T'] },
    })
    const score = 0.98
    for (const [given, passed, said] of [
      [{ maxWarnings: 2 }, true, ''],
      [{ maxWarnings: 1 }, false, '2 lint warnings, at most 1 allowed'],
      [{ functions: ['f'], types: ['T'] }, true, ''],
      [{ functions: ['f', 'g'] }, false, 'does not define g'],
      [{ types: ['f'] }, false, 'does not define f'],
    ] as const) {
      const tested = gradeReport(found, expecting(given), 'isolated')
      expect(tested.score).toBeCloseTo(score, 12)
      expect(tested.passed).toBe(passed)
      expect(tested.reason).toContain(said)
    }
  })
})

describe('the reason', () => {
  it.each([
    [
      { compiled: false, tests: null, errors: [warning] },
      'not-compiled',
      'does not compile: solution.ts:1:2 no-debugger Unexpected debugger',
    ],
    [{ tests: tests(1, 2) }, 'tests-failed', '2 of 3 tests failed: bad 0: 1 ≠ 2'],
    [
      { tests: tests(1, 1), fault: { kind: 'timeout', text: 'used more than 2 s of CPU time' } },
      'code-timeout',
      'used more than 2 s of CPU time (1 of 2 tests passed)',
    ],
    [
      { tests: tests(0, 1), fault: { kind: 'memory', text: 'ran out of memory' } },
      'code-memory',
      'ran out of memory',
    ],
    [
      { tests: tests(0, 1), fault: { kind: 'exit', text: 'ended its own process' } },
      'code-crashed',
      'ended its own process',
    ],
  ] as const)('%#', (found, cause, said) => {
    const tested = gradeReport(report(found as Partial<CodeReport>), plainCase, 'isolated')
    expect(tested).toMatchObject({ passed: false, cause })
    expect(tested.reason).toContain(said)
  })

  it('stays within bounds however much a sample makes its tools say', () => {
    const long = { ...warning, message: 'x'.repeat(1e6) }
    const found = report({
      tests: [{ name: 'n', passed: false, message: 'y'.repeat(1e6) }],
      warnings: Array.from({ length: 1000 }, () => long),
    })
    const tested = gradeReport(found, plainCase, 'isolated')
    expect(tested.reason?.length).toBeLessThan(1000)
    expect(tested.evidence?.length).toBeLessThan(20_000)
  })
})

describe('what was found', () => {
  it('is kept with its place, the first twenty of a part', () => {
    const error = { ...warning, code: 'TS2322', message: 'first line\nsecond\u001B[31m' }
    const tested = gradeReport(report({ compiled: false, errors: [error] }), plainCase, 'isolated')
    const place = { file: 'solution.ts', line: 1, column: 2 }
    expect(tested.details?.[0]?.facts).toEqual({
      findings: [{ ...place, code: 'TS2322', message: 'first line' }],
    })
    const warned = gradeReport(
      report({ tests: tests(1, 0), warnings: Array.from({ length: 25 }, () => warning) }),
      plainCase,
      'isolated',
    )
    expect(warned.details?.[2]?.facts).toMatchObject({ more: 5 })
    expect(warned.details?.[0]?.facts).toBeUndefined()
  })

  it('is nothing where a case must not compile', () => {
    const tested = gradeReport(
      report({ compiled: false, errors: [warning] }),
      expecting({ shouldCompile: false }),
      'isolated',
    )
    expect(tested.details?.every(({ facts }) => facts === undefined)).toBe(true)
  })
})
