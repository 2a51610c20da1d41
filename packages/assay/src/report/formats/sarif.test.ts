import { readFileSync } from 'node:fs'
import { Validator, type Schema } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'
import { fakeSource, fakeTrial, fakeTrials } from '../../../test/fake-source.ts'
import { HOSTILE_NAMES, TERMINAL_CONTROLS } from '../../../test/hostile-names.ts'
import { written } from '../../../test/written.ts'
import type { Grade, Trial } from '@assay/contract'
import { gradeReport } from '../../../../code/src/score.ts'
import type { Diagnostic } from '../../../../code/src/language.ts'
import { withGates } from '../gates/gates-report.ts'
import { sarif } from './sarif.ts'

const schema = JSON.parse(
  readFileSync(new URL(import.meta.resolve('schemastore/schemas/json/sarif-2.1.0.json')), 'utf8'),
) as Schema
const validator = new Validator(schema, '7')

interface SarifResult {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly level: string
  readonly message: { readonly text: string }
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string }
        readonly region: { readonly startLine: number; readonly startColumn: number }
      }
    },
  ]
  readonly properties: Readonly<Record<string, unknown>>
}

interface Log {
  readonly runs: readonly [
    {
      readonly results: readonly SarifResult[]
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } }
      readonly invocations: readonly [
        { readonly toolExecutionNotifications: readonly { readonly message: { text: string } }[] },
      ]
    },
  ]
}

const finding = (change: Partial<Diagnostic> = {}): Diagnostic => ({
  file: 'solution.ts',
  line: 3,
  column: 5,
  code: 'TS2322',
  message: 'Type "string" is not assignable.',
  ...change,
})

/** Makes a grade in the form that the code grader produces. */
function graded(errors: readonly Diagnostic[], warnings: readonly Diagnostic[] = []): Grade {
  const compiled = errors.length === 0
  const report = { compiled, errors, notes: [], tests: null, warnings, defined: null, fault: null }
  const judged = gradeReport(report, { expectations: null, lint: null }, 'isolated')
  return { name: 'code', type: 'code', weight: 1, ...judged, passed: judged.passed ?? null }
}

const trial = (change: Partial<Trial>): Trial =>
  fakeTrial({ suite: 's', case: 'c', subject: 'x', index: 0, outcome: 'failed', ...change })

async function write(trials: readonly Trial[], most?: readonly Trial[]): Promise<Log> {
  const source = fakeSource(trials)
  const text = await written(
    sarif,
    most === undefined ? source : { ...source, trials: async (each) => most.forEach(each) },
  )
  expect(text).not.toMatch(TERMINAL_CONTROLS)
  const log: unknown = JSON.parse(text)
  expect(validator.validate(log).errors).toEqual([])
  return log as Log
}

describe('SARIF', () => {
  it('is valid where there is nothing to find', async () => {
    const log = await write([trial({ outcome: 'passed' })])
    expect(log.runs[0].results).toEqual([])
  })

  it('is refused by the published schema when a level is not one', () => {
    const bad = {
      version: '2.1.0',
      runs: [
        { tool: { driver: { name: 'a' } }, results: [{ message: { text: 'x' }, level: 'bad' }] },
      ],
    }
    expect(validator.validate(bad).valid).toBe(false)
  })

  it('has compile errors and lint findings with their place and rule', async () => {
    const log = await write([
      trial({ grades: [graded([finding()])] }),
      trial({ index: 1, grades: [graded([], [finding({ code: 'F401', line: 1, column: 1 })])] }),
    ])
    const [{ results, tool }] = log.runs
    expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['TS2322', 'error'],
      ['F401', 'warning'],
    ])
    for (const one of results) expect(tool.driver.rules[one.ruleIndex]?.id).toBe(one.ruleId)
    expect(results[0]?.locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'answers/s/x/c/0/solution.ts' },
      region: { startLine: 3, startColumn: 5 },
    })
    expect(results[0]?.properties).toMatchObject({
      suite: 's',
      case: 'c',
      index: 0,
      inAnswer: true,
    })
  })

  it('keeps hostile names and messages as text, and locations below their folder', async () => {
    const trials = HOSTILE_NAMES.map((name, i) =>
      trial({
        case: name,
        subject: name,
        index: 0,
        grades: [
          graded([
            finding({
              file: `../../${name}`,
              message: name,
              code: i % 2 === 0 ? name : null,
              line: -1,
              column: 0,
            }),
          ]),
        ],
      }),
    )
    const [{ results }] = (await write(trials)).runs
    expect(results).toHaveLength(HOSTILE_NAMES.length)
    for (const { locations } of results) {
      const { uri } = locations[0].physicalLocation.artifactLocation
      expect(new URL(uri, 'file:///r/').pathname).toMatch(/^\/r\/answers\/s\//)
    }
  })

  it('takes what is not a finding for none', async () => {
    const facts = { findings: ['x', null, 7, { line: '3', message: 4 }] }
    const parts = [{ name: 'compile', type: 'code', score: 0, passed: false, weight: 0.4, facts }]
    const code: Grade = {
      name: 'code',
      type: 'code',
      score: 0,
      passed: false,
      weight: 1,
      details: parts,
    }
    const [{ results }] = (await write([trial({ grades: [code] })])).runs
    expect(results).toHaveLength(1)
    expect(results[0]?.locations[0].physicalLocation.region).toEqual({
      startLine: 1,
      startColumn: 1,
    })
  })

  it('writes the first 5,000, errors first, in whatever order trials were recorded', async () => {
    const many = Array.from({ length: 20 }, (_, line) => finding({ line: line + 1 }))
    const trials = fakeTrials({
      subjects: ['x'],
      cases: ['c'],
      trials: 600,
      change: ({ index }) => ({ grades: [index % 2 === 0 ? graded(many) : graded([], many)] }),
    })
    const log = await write(trials)
    const [{ results, invocations }] = log.runs
    expect(results).toHaveLength(5000)
    expect(results.every(({ level }) => level === 'error')).toBe(true)
    const said = invocations[0].toolExecutionNotifications.map(({ message }) => message.text)
    expect(said.join(' ')).toContain('7,000 further findings left out')
    expect(await write(trials, trials.toReversed())).toEqual(log)
  })
})

describe('gates in SARIF', () => {
  it('are results where they failed, notes where they are not decided, and no findings where they hold', async () => {
    for (const name of ['s', ...HOSTILE_NAMES]) {
      const source = fakeSource(
        Array.from({ length: 10 }, (_, index) =>
          fakeTrial({
            ...{ suite: name, case: 'c', subject: name, index },
            outcome: index < 8 ? 'failed' : 'passed',
          }),
        ),
      )
      const bound = (min: number) => ({
        ...({ metric: 'passRate', k: null, kind: 'min', bound: min, suite: null } as const),
        ...({ subject: null, tag: null, case: null, per: null, target: 'fixed' } as const),
      })
      const gates = [bound(0.9), bound(0.3), bound(0.01)]
      const asked = { gates, strict: false, requirePass: true }
      const text = await written(sarif, {
        ...source,
        report: withGates(source.report, asked, []),
      })
      const log = JSON.parse(text) as Log
      expect(validator.validate(log).errors).toEqual([])
      expect(text).not.toMatch(TERMINAL_CONTROLS)
      const { results, tool } = log.runs[0]
      expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
        ['assay/gate', 'error'],
        ['assay/gate', 'error'],
        ['assay/gate', 'note'],
      ])
      expect(tool.driver.rules[0]?.id).toBe('assay/gate')
      expect(results[1]?.message.text).toMatch(/^pass rate ≥ 90\.0%: 20\.0% /)
      const { uri } = results[1]?.locations[0].physicalLocation.artifactLocation ?? { uri: '' }
      expect(uri).toMatch(/^gates\/[^/]+\/[^/]+$/)
    }
  })
})
