/**
 * Computes the grade of an answer from its `CodeReport`, as the code-scoring specification describes. The score is 0
 * if the code does not compile. Otherwise, unless the suite sets other weights, it is 0.4 + 0.5 · passed/(passed +
 * failed) + 0.1 · max(0, 1 − 0.1 · warnings). The grade always contains the three parts as details. The case's
 * expectations decide whether the answer passes, but do not change the formula. There are two exceptions, in which an
 * expectation replaces a part of the score: the code must not compile, or its tests are not run.
 */
import { CODE_WEIGHTS, codeScore, lintScore, testPassRate, type CodeWeights } from '@assay/metrics'
import {
  plain,
  type Case,
  type Expectations,
  type Grade,
  type GraderOutput,
  type Integrity,
  type ReasonCode,
} from '@assay/contract'
import type { CodeReport, Diagnostic, Fault, TestResult } from './language.ts'
import { shortened } from './shortened.ts'

const NOTHING_EXPECTED: Expectations = {
  shouldCompile: true,
  shouldPassTests: true,
  maxWarnings: null,
  functions: [],
  types: [],
  customCheck: null,
}

export const expectationsOf = ({ expectations }: Pick<Case, 'expectations'>): Expectations =>
  expectations ?? NOTHING_EXPECTED

/** The grade for an answer without code: nothing compiles, so the score is 0. */
export function gradeNoCode(): GraderOutput {
  const reason = 'the answer has no code'
  return {
    score: 0,
    passed: false,
    reason,
    cause: 'no-code',
    facts: { compiled: false, passed: 0, failed: 0, warnings: 0 },
    details: [
      detail('compile', 0, false, reason),
      detail('tests', 0, false, 'there was nothing to test'),
      detail('lint', 0, null, 'there was nothing to lint'),
    ],
  }
}

export function gradeReport(
  report: CodeReport,
  one: Pick<Case, 'expectations' | 'lint'>,
  integrity: Integrity,
  weights: CodeWeights = CODE_WEIGHTS,
): GraderOutput {
  const expected = expectationsOf(one)
  if (!expected.shouldCompile) return gradeMustNotCompile(report)
  const { compiled } = report
  const tests = report.tests ?? []
  const passed = tests.filter((test) => test.passed).length
  const counts = expected.shouldPassTests
    ? { compiled, passed, failed: tests.length - passed, warnings: report.warnings?.length ?? 0 }
    : { compiled, passed: 1, failed: 0, warnings: report.warnings?.length ?? 0 }
  const noTests = expected.shouldPassTests && compiled && tests.length === 0
  const skipped = report.skipped?.length ?? 0
  const failure = compiled ? failureOf(report, expected, counts) : whyNotCompiled(report)
  return {
    score: codeScore(counts, weights),
    passed: failure === null,
    reason: failure?.text ?? praise(counts, skipped, expected, one),
    ...(failure === null ? {} : { cause: failure.cause }),
    ...(compiled && expected.shouldPassTests && !noTests ? { integrity } : {}),
    facts: {
      compiled,
      passed: expected.shouldPassTests ? passed : 0,
      failed: expected.shouldPassTests ? tests.length - passed : 0,
      warnings: counts.warnings,
      ...(noTests ? { noTests } : {}),
      ...(skipped === 0 || !expected.shouldPassTests ? {} : { skipped }),
      ...(report.fault === null ? {} : { fault: report.fault.kind }),
    },
    ...evidenceOf(report),
    details: [
      withFindings(
        detail('compile', compiled ? 1 : 0, compiled, compiled ? undefined : failure?.text),
        report.errors,
      ),
      testsDetail(report, expected, counts),
      lintDetail(report, one, expected, counts.warnings),
    ].map((part) => ({ ...part, weight: weights[PART[part.name as keyof typeof PART]] })),
  }
}

/** Adds a remark to the reason of the grade and to the reason of its tests part, and returns the result. */
export function withReason(output: GraderOutput, more: string): GraderOutput {
  const added = (reason: string | undefined): string =>
    reason === undefined ? more : `${reason}; ${more}`
  return {
    ...output,
    reason: added(output.reason),
    ...(output.details === undefined
      ? {}
      : {
          details: output.details.map((one) =>
            one.name === 'tests' ? { ...one, reason: added(one.reason) } : one,
          ),
        }),
  }
}

/** Grades a case whose code must not compile. Its tests and lint warnings are ignored. */
function gradeMustNotCompile(report: CodeReport): GraderOutput {
  const refused = !report.compiled
  const said = refused
    ? `does not compile, as it must not: ${firstOf(report.errors)}`
    : 'compiles, and must not'
  return {
    score: refused ? 1 : 0,
    passed: refused,
    reason: said,
    facts: { compiled: report.compiled, passed: 0, failed: 0, warnings: 0, shouldCompile: false },
    ...evidenceOf(report),
    details: [
      detail('compile', refused ? 1 : 0, refused, said),
      detail('tests', refused ? 1 : 0, null, 'not run: the code must not compile'),
      detail('lint', refused ? 1 : 0, null, 'not run: the code must not compile'),
    ],
  }
}

interface Counts {
  readonly compiled: boolean
  readonly passed: number
  readonly failed: number
  readonly warnings: number
}

interface Failure {
  readonly cause: ReasonCode
  readonly text: string
}

const FAULT_CAUSE: Record<Fault['kind'], ReasonCode> = {
  timeout: 'code-timeout',
  memory: 'code-memory',
  crash: 'code-crashed',
  exit: 'code-crashed',
  output: 'code-crashed',
}

function whyNotCompiled({ errors, fault }: CodeReport): Failure {
  if (fault !== null) return { cause: FAULT_CAUSE[fault.kind], text: fault.text }
  return { cause: 'not-compiled', text: `does not compile: ${firstOf(errors)}` }
}

/** Returns why an answer whose code compiles has failed, or null if it has passed. */
function failureOf(report: CodeReport, expected: Expectations, counts: Counts): Failure | null {
  const { fault, defined, warnings } = report
  const total = counts.passed + counts.failed
  if (expected.shouldPassTests) {
    const first = report.tests?.find((test) => !test.passed)
    if (counts.failed > 0 && fault !== null)
      return {
        cause: FAULT_CAUSE[fault.kind],
        text: `${fault.text} (${counts.passed} of ${counted(total, 'test')} passed)`,
      }
    if (counts.failed > 0)
      return {
        cause: 'tests-failed',
        text: `${counts.failed} of ${counted(total, 'test')} failed: ${testLine(first)}`,
      }
    const skipped = report.skipped?.length ?? 0
    if (total === 0)
      return {
        cause: 'wrong-answer',
        text:
          skipped === 0
            ? 'compiles, and the case has no tests'
            : `compiles, and no test was run: ${skipped} skipped`,
      }
  }
  const lacks = [
    ...expected.functions.filter((name) => defined?.functions.includes(name) !== true),
    ...expected.types.filter((name) => defined?.types.includes(name) !== true),
  ]
  if (lacks.length > 0)
    return { cause: 'wrong-answer', text: `does not define ${lacks.join(', ')}` }
  const { maxWarnings } = expected
  if (maxWarnings !== null && warnings !== null && warnings.length > maxWarnings)
    return {
      cause: 'wrong-answer',
      text: `${counted(warnings.length, 'lint warning')}, at most ${maxWarnings} allowed: ${firstOf(warnings)}`,
    }
  return null
}

function praise(
  { passed, warnings }: Counts,
  skipped: number,
  { shouldPassTests }: Expectations,
  { lint }: Pick<Case, 'lint'>,
): string {
  const tests = shouldPassTests
    ? `${passed === 1 ? 'its test passes' : `all ${passed} tests pass`}${skippedToo(skipped)}`
    : 'tests are not run in this case'
  const clean =
    lint === 'off' ? 'not linted' : warnings === 0 ? 'no warnings' : counted(warnings, 'warning')
  return `compiles, ${tests}, ${clean}`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const PART = { compile: 'compilation', tests: 'tests', lint: 'lint' } as const

const skippedToo = (count: number): string => (count === 0 ? '' : `, ${count} skipped`)

const detail = (
  name: 'compile' | 'tests' | 'lint',
  score: number,
  passed: boolean | null,
  reason?: string,
): Grade => ({
  name,
  type: 'code',
  score,
  passed,
  weight: CODE_WEIGHTS[PART[name]],
  ...(reason === undefined ? {} : { reason }),
})

function testsDetail(report: CodeReport, { shouldPassTests }: Expectations, counts: Counts): Grade {
  if (!shouldPassTests)
    return detail('tests', counts.compiled ? 1 : 0, null, 'not run in this case, counted as passed')
  const { passed, failed } = counts
  if (!counts.compiled) return detail('tests', 0, false, 'not run: it does not compile')
  const skipped = skippedToo(report.skipped?.length ?? 0)
  if (passed + failed === 0) return detail('tests', 0, false, `there are no tests${skipped}`)
  const said = `${passed} of ${counted(passed + failed, 'test')} passed${skipped}`
  const fault = report.fault === null ? '' : `; ${report.fault.text}`
  return detail('tests', testPassRate(counts), failed === 0, failed === 0 ? said : said + fault)
}

function lintDetail(
  { compiled, warnings }: CodeReport,
  { lint }: Pick<Case, 'lint'>,
  { maxWarnings }: Expectations,
  count: number,
): Grade {
  if (!compiled) return detail('lint', 0, null, 'not counted: it does not compile')
  if (lint === 'off' || warnings === null)
    return detail('lint', 1, null, 'switched off in this case, counted as clean')
  const verdict = maxWarnings === null ? null : count <= maxWarnings
  const said =
    count === 0 ? 'no warnings' : `${counted(count, 'warning')}, such as ${firstOf(warnings)}`
  return withFindings(detail('lint', lintScore(count), verdict, said), warnings)
}

/** The most findings that are kept with their positions. The evidence text may list more. */
const MOST_FINDINGS = 20

/** Adds the findings with their positions, for programs that show them in the code, such as editors. */
function withFindings(grade: Grade, list: readonly Diagnostic[]): Grade {
  if (list.length === 0) return grade
  const findings = list.slice(0, MOST_FINDINGS).map(({ file, line, column, code, message }) => ({
    file: oneLine(file),
    line,
    column,
    code,
    message: oneLine(message),
  }))
  const more = list.length - findings.length
  return { ...grade, facts: { findings, ...(more > 0 ? { more } : {}) } }
}

// ── Text for the user ────────────────────────────────────────────────────────────────────────────────

const MOST_LINE = 240
const MOST_LISTED = 50
const MOST_EVIDENCE = 16_384

const oneLine = (text: string): string => {
  const line = plain(text.trim().split('\n', 1)[0] ?? '')
  return shortened(line, MOST_LINE)
}

function diagnosticLine({ file, line, column, code, message }: Diagnostic): string {
  return `${file}:${line}:${column} ${code === null ? '' : `${code} `}${oneLine(message)}`
}

const firstOf = (list: readonly Diagnostic[]): string => {
  const [first] = list
  return first === undefined ? 'no reason was given' : diagnosticLine(first)
}

function testLine(test: TestResult | undefined): string {
  if (test === undefined) return ''
  return test.message === undefined ? test.name : `${test.name}: ${oneLine(test.message)}`
}

/** Returns all findings as evidence text. The reason of a grade shows only the first one. */
function evidenceOf({ errors, notes, tests, skipped = [], warnings }: CodeReport): {
  evidence?: string
} {
  const failed = (tests ?? []).filter((test) => !test.passed)
  const sections = [
    section('does not compile', errors.map(diagnosticLine)),
    section(
      'failed tests',
      failed.map(({ name, message }) => (message === undefined ? name : `${name}: ${message}`)),
    ),
    section('skipped tests', skipped),
    section('lint warnings', (warnings ?? []).map(diagnosticLine)),
    section('compiler warnings, not counted', notes.map(diagnosticLine)),
  ].filter((text) => text !== '')
  if (sections.length === 0) return {}
  const text = sections.join('\n\n')
  return { evidence: shortened(text, MOST_EVIDENCE) }
}

function section(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const more = lines.length > MOST_LISTED ? [`… and ${lines.length - MOST_LISTED} more`] : []
  return [`${title}:`, ...lines.slice(0, MOST_LISTED), ...more].join('\n')
}
