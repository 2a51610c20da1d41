import { readFileSync } from 'node:fs'
import { validateXML } from 'xmllint-wasm'
import { describe, expect, it } from 'vitest'
import { fakeSource, fakeTrial, fakeTrials } from '../../../test/fake-source.ts'
import { HOSTILE_NAMES, TERMINAL_CONTROLS } from '../../../test/hostile-names.ts'
import { written } from '../../../test/written.ts'
import type { Trial } from '@assay/contract'
import { withBreakdowns } from '../figures/groups/breakdown.ts'
import type { BoundGate } from '../gates/bound-gate.ts'
import { withGates } from '../gates/gates-report.ts'
import { junit } from './junit.ts'

const schema = readFileSync(
  new URL('../../../test/schemas/jenkins-junit.xsd', import.meta.url),
  'utf8',
)

/** Returns the errors that the JUnit schema of Jenkins finds in the XML. Empty if there are none. */
async function faults(xml: string): Promise<string[]> {
  const { errors } = await validateXML({
    xml: [{ fileName: 'junit.xml', contents: xml }],
    schema: [schema],
  })
  return errors.map(({ rawMessage }) => rawMessage)
}

const trial = (change: Partial<Trial>): Trial =>
  fakeTrial({ suite: 's', case: 'c', subject: 'x', index: 0, ...change })

const failed = (change: Partial<Trial> = {}): Trial =>
  trial({
    outcome: 'failed',
    reason: { code: 'tests-failed', text: 'code: 1 of 2 tests failed' },
    grades: [
      { name: 'code', type: 'code', score: 0.4, passed: false, weight: 1, evidence: '3 is not 4' },
    ],
    ...change,
  })

const write = (trials: readonly Trial[]): Promise<string> => written(junit, fakeSource(trials))

describe('JUnit XML', () => {
  it('is valid by the schema of Jenkins, whatever names and answers hold', async () => {
    const trials = fakeTrials({
      suite: HOSTILE_NAMES.join(' '),
      subjects: HOSTILE_NAMES,
      cases: HOSTILE_NAMES,
      trials: 2,
      change: (_, passes, { case: c }) =>
        passes
          ? {}
          : { reason: { code: 'tests-failed', text: `${HOSTILE_NAMES[c]} <b> ]]> \u0000 \uD800` } },
    })
    const xml = await write(trials)
    expect(await faults(xml)).toEqual([])
    expect(xml).not.toMatch(TERMINAL_CONTROLS)
    expect(xml.match(/<testcase /g)).toHaveLength(HOSTILE_NAMES.length ** 2)
  })

  it('would not pass the schema with an attribute that readers do not know', async () => {
    const xml = await write([failed()])
    expect(await faults(xml.replace('<failure ', '<failure colour="red" '))).not.toEqual([])
  })

  it('fails a case of which any scored trial failed, and says how many and why', async () => {
    const xml = await write([trial({}), failed({ index: 1 }), failed({ index: 2 })])
    expect(xml).toContain('<testsuites name="assay" tests="1" failures="1" errors="0"')
    expect(xml).toContain(
      '<failure message="2 of 3 trials failed: tests-failed ×2" type="tests-failed">',
    )
    expect(xml).toContain('trial 1: tests-failed: code: 1 of 2 tests failed')
    expect(xml).toContain('3 is not 4')
    expect(xml).toContain('<testcase name="c" classname="s.x" time="2.460">')
  })

  it('passes a case of which all scored trials passed, and mentions what errored', async () => {
    const errored = trial({
      index: 1,
      outcome: 'errored',
      reason: { code: 'rate-limited', text: '429' },
    })
    const xml = await write([trial({}), errored])
    expect(xml).toContain('failures="0" errors="0"')
    expect(xml).toContain(
      '<system-out>1 of 1 scored trials passed, 1 errored (rate-limited ×1)</system-out>',
    )
    expect(await faults(xml)).toEqual([])
  })

  it('has an error where nothing could be scored, and skips what was not to be scored', async () => {
    const reason = { code: 'provider-error', text: 'down' } as const
    const xml = await write([
      trial({ outcome: 'errored', reason }),
      trial({ case: 'free', outcome: 'unscored' }),
    ])
    expect(xml).toContain('errors="1" skipped="1"')
    expect(xml).toContain(
      '<error message="1 trial errored, none could be scored: provider-error ×1"',
    )
    expect(xml).toContain('<skipped>the case has no grader</skipped>')
    expect(await faults(xml)).toEqual([])
  })

  it('does not depend on the order of recording', async () => {
    const trials = fakeTrials({ subjects: ['a', 'b'], cases: ['one', 'two'], trials: 5 })
    const source = fakeSource(trials)
    const turned = {
      ...source,
      trials: async (each: (one: Trial) => void) => trials.toReversed().forEach(each),
    }
    expect(await written(junit, turned)).toBe(await written(junit, source))
  })

  it('keeps dots of names from making packages, and says that answers are simulated', async () => {
    const xml = await write([trial({ subject: 'openai/gpt-4.1', source: 'simulated' })])
    expect(xml).toContain('classname="s.openai/gpt-4_1"')
    expect(xml).toContain('<property name="stamp" value="SIMULATED: ')
  })
})

describe('gates in JUnit XML', () => {
  const gate = (change: Partial<BoundGate>): BoundGate => ({
    ...{ metric: 'passRate', k: null, kind: 'min', bound: 0.5, suite: null, subject: null },
    ...{ tag: null, case: null, per: null, target: 'fixed', ...change },
  })
  const source = fakeSource(
    Array.from({ length: 10 }, (_, index) => (index < 8 ? failed({ index }) : trial({ index }))),
  )
  const asked = (strict: boolean) =>
    withGates(
      source.report,
      {
        gates: [gate({ bound: 0.9 }), gate({ bound: 0.3 }), gate({ kind: 'max', bound: 0.9 })],
        strict,
        requirePass: true,
      },
      [],
    )

  it('are tests: failed, skipped where undecided, and passed', async () => {
    const xml = await written(junit, { ...source, report: asked(false) })
    expect(await faults(xml)).toEqual([])
    const suite = xml.slice(xml.indexOf('<testsuite name="gates"'))
    expect(suite).toMatch(/^<testsuite name="gates" tests="4" failures="2" errors="0" skipped="1"/)
    expect(suite).toContain('<property name="exitCode" value="1"/>')
    expect(suite).toMatch(/name="pass rate ≥ 90\.0% · x · s"[^>]*>\s*<failure message="pass rate/)
    expect(suite).toMatch(/name="pass rate ≥ 30\.0% · x · s"[^>]*>\s*<skipped>pass rate/)
    expect(suite).toMatch(/name="pass rate ≤ 90\.0% · x · s"[^>]*>\s*<system-out>pass rate/)
    expect(suite).toMatch(/name="skill · x · s"[^>]*>\s*<failure/)
    // The numbers of the whole are the sums of its suites.
    expect(xml).toMatch(/<testsuites name="assay" tests="5" failures="3"/)
  })

  it('fail where they are not decided and --strict says so', async () => {
    const xml = await written(junit, { ...source, report: asked(true) })
    expect(xml).toMatch(/<testsuite name="gates" tests="4" failures="3" errors="0" skipped="0"/)
  })

  it('stay valid XML with hostile names, also by tag', async () => {
    const hostile = fakeSource(
      HOSTILE_NAMES.map((name, i) => trial({ suite: name, subject: name, case: name, index: i })),
    )
    const labelled = {
      ...hostile.report,
      subjects: hostile.report.subjects.map((row) => ({
        ...row,
        cases: row.cases.map((one) => ({ ...one, tags: [...HOSTILE_NAMES] })),
      })),
    }
    const gated = withGates(labelled, { gates: [gate({})], strict: true, requirePass: true }, [])
    const report = withBreakdowns(gated, ['tag'])
    const xml = await written(junit, { ...hostile, report })
    expect(await faults(xml)).toEqual([])
    expect(xml).not.toMatch(TERMINAL_CONTROLS)
  })
})
