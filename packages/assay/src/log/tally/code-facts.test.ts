/**
 * In a case with `shouldCompile = false`, a solution that does not compile passes, and still counts as not compiled.
 *
 * The tests also cover: the grade (grade/code/judgement.ts, which all languages use); the tally of a run and of a
 * log that is read (run/tally.ts); trials without their folder and eval-set reports (analyze/assay-trials.ts,
 * analyze/eval-set-report.ts, which reads `compilation.success` itself); the rates in report.json, the terminal,
 * Markdown and the viewer (all from report/code-summary.ts); the CSV column `compiled`. Not affected: `compare`,
 * and the report sections for scoring-functions and metrics-formulas.
 */
import { codeModelStats } from '@assay/metrics'
import { describe, expect, it } from 'vitest'
import { reportOf, trialOf } from '../../../test/report-of.ts'
import type { Grade, Trial } from '@assay/contract'
import { gradeReport } from '../../../../code/src/score.ts'
import type { CodeReport } from '../../../../code/src/language.ts'
import { codeFacts } from './code-facts.ts'

const MUST_NOT = {
  lint: null,
  expectations: {
    shouldCompile: false,
    shouldPassTests: true,
    maxWarnings: null,
    functions: [],
    types: [],
    customCheck: null,
  },
} as const
const ORDINARY = { lint: null, expectations: null } as const

const found = (compiled: boolean, passed: number, failed: number): CodeReport => ({
  compiled,
  errors: [],
  notes: [],
  warnings: compiled ? [] : null,
  defined: null,
  fault: null,
  tests: compiled
    ? [
        ...Array.from({ length: passed }, (_, i) => ({ name: `p${i}`, passed: true })),
        ...Array.from({ length: failed }, (_, i) => ({ name: `f${i}`, passed: false })),
      ]
    : null,
})

function gradeOf(report: CodeReport, one: typeof MUST_NOT | typeof ORDINARY): Grade {
  const { evidence: _evidence, ...rest } = gradeReport(report, one, 'isolated')
  return { name: 'code', type: 'code', weight: 1, ...rest } as Grade
}

const trial = (one: string, index: number, grade: Grade): Trial =>
  trialOf({
    case: one,
    index,
    outcome: grade.passed === true ? 'passed' : 'failed',
    score: grade.score,
    grades: [grade],
  })

describe('a case whose solutions must not compile', () => {
  const refused = gradeOf(found(false, 0, 0), MUST_NOT)
  const accepted = gradeOf({ ...found(true, 0, 0), tests: null, warnings: null }, MUST_NOT)

  it('passes with a solution that does not compile, and counts it as not compiled', () => {
    const report = reportOf(
      [{ id: 's', cases: [{ id: 'c', trials: 3, code: true }] }],
      [{ id: 'x' }],
      [0, 1, 2].map((index) => trial('c', index, refused)),
      { passK: [1] },
    )
    const [row] = report.subjects
    expect(row?.passRate.value).toBe(1)
    expect(row?.code?.compilationRate.value).toBe(0)
    expect(row?.code?.testPassRate.value).toBe(0)
    expect(row?.code?.lintScore.value).toBeNull()
  })

  it('fails with one that compiles, counts it as compiled, and has no lint score for it', () => {
    const report = reportOf(
      [{ id: 's', cases: [{ id: 'c', trials: 1, code: true }] }],
      [{ id: 'x' }],
      [trial('c', 0, accepted)],
      { passK: [1] },
    )
    const [row] = report.subjects
    expect(row?.passRate.value).toBe(0)
    expect(row?.code?.compilationRate.value).toBe(1)
    expect(row?.code?.lintScore.value).toBeNull()
  })

  it('gives the rates of the library together with ordinary cases', () => {
    const right = gradeOf(found(true, 2, 0), ORDINARY)
    const half = gradeOf(found(true, 1, 1), ORDINARY)
    const broken = gradeOf(found(false, 0, 0), ORDINARY)
    const grades = { a: [refused, refused, refused], b: [right, half, broken] }
    const report = reportOf(
      [{ id: 's', cases: ['a', 'b'].map((id) => ({ id, trials: 3, code: true })) }],
      [{ id: 'x' }],
      Object.entries(grades).flatMap(([one, list]) => list.map((grade, i) => trial(one, i, grade))),
      { passK: [1] },
    )
    const expected = codeModelStats(
      Object.values(grades).map((list) =>
        list.map((grade) => ({
          ...(grade.facts as unknown as Parameters<typeof codeModelStats>[0][number][number]),
          correct: grade.passed === true,
          costUsd: 0,
          latencyMs: 0,
        })),
      ),
      [1],
    )
    const code = report.subjects[0]?.code
    expect(code?.compilationRate.value).toBeCloseTo(expected.compilationRate, 12)
    expect(code?.compilationRate.value).toBeCloseTo(2 / 6, 12)
    expect(code?.testPassRate.value).toBeCloseTo(expected.testPassRate, 12)
    expect(code?.testPassRate.value).toBeCloseTo((0 + 0.5) / 2, 12)
    expect(code?.lintScore.value).toBeCloseTo(expected.lintScore ?? -1, 12)
  })
})

it('what a damaged or foreign log has in place of details is no fact', () => {
  for (const details of ['x', 5, null, [null, 7], { compile: 1 }])
    expect(codeFacts([{ name: 'code', type: 'code', details } as unknown as Grade])).toEqual({
      compiled: null,
      tests: null,
      lint: null,
      integrity: null,
    })
})
