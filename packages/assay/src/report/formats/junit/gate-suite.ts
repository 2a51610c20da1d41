/** Writes the gates of a report as a JUnit test suite. */
import { conditionText, gateSentence, scopeParts, skillSentence } from '../../gates/words.ts'
import type { Report } from '../../schema/report.ts'
import { escaped, quoted } from './xml.ts'

/** The counts that a JUnit test suite states, such as its failures. */
export interface Totals {
  readonly tests: number
  readonly failures: number
  readonly errors: number
  readonly skipped: number
  readonly ms: number
}

export interface GateTest {
  readonly name: string
  readonly of: string
  readonly kind: 'passed' | 'failure' | 'skipped'
  readonly type: string
  readonly text: string
}

export function gateTests({ gates }: Report): GateTest[] {
  if (gates === undefined) return []
  const { results, skills, strict } = gates
  return [
    ...results.map((result): GateTest => ({
      name: `${conditionText(result)} · ${scopeParts(result).join(' · ')}`,
      of: `${result.suite} / ${result.subject}`,
      kind:
        result.status === 'held'
          ? 'passed'
          : result.status === 'failed' || strict
            ? 'failure'
            : 'skipped',
      type: result.status === 'failed' ? 'gate' : 'gate not decided',
      text: gateSentence(result),
    })),
    ...skills.map((skill): GateTest => ({
      name: `skill · ${skill.subject} · ${skill.suite}`,
      of: `${skill.suite} / ${skill.subject}`,
      kind: skill.passed === true && skill.missing === 0 ? 'passed' : 'failure',
      type: skill.passed === null ? 'no verdict' : 'skill',
      text: skillSentence(skill),
    })),
  ]
}

export const gateTotals = (tests: readonly GateTest[]): Totals => ({
  tests: tests.length,
  failures: tests.filter(({ kind }) => kind === 'failure').length,
  errors: 0,
  skipped: tests.filter(({ kind }) => kind === 'skipped').length,
  ms: 0,
})

export function putGates(
  put: (text: string) => void,
  report: Report,
  tests: readonly GateTest[],
): void {
  if (report.gates === undefined) return
  const { failures, skipped } = gateTotals(tests)
  const { outcome } = report.gates
  put(
    `  <testsuite name="gates" tests="${tests.length}" failures="${failures}" errors="0" skipped="${skipped}" time="0.000">\n`,
  )
  put(`    <properties>\n      <property name="exitCode" value="${outcome.code}"/>\n`)
  for (const failure of outcome.failures)
    put(`      <property name="failure" value=${quoted(failure)}/>\n`)
  put('    </properties>\n')
  for (const { name, of, kind, type, text } of tests) {
    const classname = `gates.${of.replaceAll('.', '_')}`
    put(`    <testcase name=${quoted(name)} classname=${quoted(classname)} time="0.000">\n`)
    put(
      kind === 'passed'
        ? `      <system-out>${escaped(text)}</system-out>\n`
        : kind === 'skipped'
          ? `      <skipped>${escaped(text)}</skipped>\n`
          : `      <failure message=${quoted(text)} type=${quoted(type)}>${escaped(text)}</failure>\n`,
    )
    put('    </testcase>\n')
  }
  put('  </testsuite>\n')
}
