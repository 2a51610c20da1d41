/** Tests that every figure of the specifications is in report.json at the place that docs/reference/formulas.md names. */
import { describe, expect, it } from 'vitest'
import { reportSchema, type Report } from '../packages/assay/src/report/schema/report.ts'
import { reportOf, trialOf } from '../packages/assay/test/report-of.ts'
import { SPEC_PATHS, valuesAt } from '../scripts/spec-paths.ts'

/** Two tiers on one case of code. Each has ten trials, and every trial is judged. */
function experiment(): Report {
  const passes: Record<string, string> = { T0: '1101110111', T1: '1111111111' }
  const trials = Object.entries(passes).flatMap(([subject, outcomes]) =>
    Array.from(outcomes, (passed, index) => {
      const share = passed === '1' ? 1 : 0.5
      const part = (name: string, score: number) => ({
        name,
        type: name,
        score,
        passed: score === 1,
        weight: 1,
      })
      return trialOf({
        subject,
        index,
        outcome: passed === '1' ? 'passed' : 'failed',
        score: 0.4 + 0.5 * share + 0.1,
        implRate: subject === 'T0' ? 0.4 : 0.9,
        grades: [
          {
            ...part('code', share),
            type: 'code',
            integrity: 'isolated',
            details: [part('compile', 1), part('tests', share), part('lint', 1)],
          },
        ],
        usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0 },
        cost: { answerUsd: subject === 'T0' ? 0.5 : 2, judgeUsd: null, spentUsd: 0 },
        time: {
          startedAt: '2026-01-01T00:00:00.000Z',
          durationMs: 3500 + index,
          answerMs: 2000 + index,
          waitMs: 5,
          gradeMs: 1000,
        },
      })
    }),
  )
  return reportOf(
    [{ id: 's', threshold: 0.9, cases: [{ id: 'c', trials: 10, code: true }] }],
    [{ id: 'T0' }, { id: 'T1' }],
    trials,
    { passK: [1, 5], tiers: { order: ['T0', 'T1'], baseline: 'T0' } },
  )
}

describe('report.json', () => {
  const report = experiment()
  const json: unknown = JSON.parse(JSON.stringify(report))

  it.each(SPEC_PATHS)('has $document: $figure at $path', ({ path }) => {
    const found = valuesAt(json, path)
    expect(found.length).toBeGreaterThan(0)
    for (const value of found) expect(value).toBeDefined()
    // If there are only failures, the cost of a pass is infinite. Then it is null, and a field next to it says so.
    if (!path.includes('cost_of_pass')) for (const value of found) expect(value).not.toBeNull()
  })

  it('is what its schema says, and nothing else', () => {
    expect(reportSchema.parse(json)).toEqual(json)
  })

  it('gives the figures of the document’s own examples', () => {
    const tier = (name: string) => report.subjects.find(({ subject }) => subject === name)
    const [t0, t1] = [tier('T0'), tier('T1')]
    expect(t0?.spec.statistics?.pass_rate).toEqual({
      median: 1,
      mean: 0.8,
      mode: 1,
      min: 0,
      max: 1,
      std_dev: 0.4,
      count: 10,
    })
    // Median composite: (1 + 0.4) / 2 = 0.7 and (1 + 0.9) / 2 = 0.95.
    expect(t0?.spec).toMatchObject({ grade: 'D', cost_of_pass: 0.625 })
    expect(t1?.spec.grade).toBe('A')
    expect(t0?.spec.statistics?.cost_of_pass).toMatchObject({
      median: 0.5,
      mean: null,
      std_dev: null,
      infinite: ['mean', 'max'],
    })
    // Duration is end minus start, with the times that it consists of next to it.
    expect(t0?.spec.statistics?.duration_seconds?.min).toBe(3.5)
    expect(t0?.cases[0]?.runs?.slice(0, 3)).toEqual(
      [1, 1, 0].map((passed, index) => ({
        index,
        pass_rate: passed,
        impl_rate: 0.4,
        cost_usd: 0.5,
        duration_seconds: 3.5 + index / 1000,
        answer_seconds: 2 + index / 1000,
        wait_seconds: 0.005,
        grade_seconds: 1,
        composite: (passed + 0.4) / 2,
        cost_of_pass: passed === 1 ? 0.5 : null,
        ...(passed === 1 ? {} : { infinite: ['cost_of_pass'] }),
      })),
    )
    expect(t0?.grade).toMatchObject({ letter: 'D', meaning: 'Marginal' })
    expect(t1?.grade).toMatchObject({ letter: 'A', meaning: 'Excellent' })
    expect(report.tiers[0]?.sensitivity?.reading).toBe('undecided')
    expect(report.tiers).toMatchObject([{ baseline: 'T0', order: ['T0', 'T1'] }])
    expect(report.tiers[0]?.tier_uplift[1]).toBeCloseTo(0.25 / 0.7, 12)
    expect(report.tiers[0]).toMatchObject({ pass_rate_variance: 0, cost_delta: 1.5 })
    expect(report.tiers[0]?.cost_variance).toBeCloseTo(0.5625, 12)
    expect(t0?.code?.testPassRate.value).toBeCloseTo(0.9, 12)
    expect(t0?.cases[0]).toMatchObject({ n: 10, c: 8, flaky: true, flakinessPercent: 20 })
    expect(t0?.spec.skill).toMatchObject({
      passed: true,
      overallMultiTrial: { perTrialPassRate: 0.8, passAtK: 1, k: 10 },
    })
  })
})
