import { describe, expect, it } from 'vitest'
import { codeCaseStats, codeModelStats, type CodeTrial } from './code-aggregates.ts'

const good: CodeTrial = {
  compiled: true,
  passed: 4,
  failed: 0,
  warnings: 0,
  correct: true,
  costUsd: 0.1,
  latencyMs: 100,
}
const half: CodeTrial = { ...good, passed: 2, failed: 2, warnings: 5, correct: false, costUsd: 0.2 }
const broken: CodeTrial = { ...good, compiled: false, passed: 0, correct: false, latencyMs: 400 }

describe('codeCaseStats', () => {
  it('gives pass@k, mean score and the rates of one case', () => {
    const stats = codeCaseStats([good, half, broken], [1, 2, 5])
    expect(stats).toMatchObject({ n: 3, c: 1, compilationRate: 2 / 3, testPassRate: 0.5 })
    expect(stats.passAtK).toEqual([
      { k: 1, value: 1 / 3 },
      { k: 2, value: 2 / 3 },
      { k: 5, value: null },
    ])
    expect(stats.meanScore).toBeCloseTo((1 + 0.7 + 0) / 3, 15)
  })

  it('counts the verdict it is given, so that a case may expect code that does not compile', () => {
    expect(codeCaseStats([{ ...broken, correct: true }], [1]).passAtK).toEqual([{ k: 1, value: 1 }])
  })

  it('refuses a case without trials and k below 1', () => {
    expect(() => codeCaseStats([], [1])).toThrow('trials must not be empty')
    expect(() => codeCaseStats([good], [0])).toThrow('ks must be')
  })
})

describe('codeModelStats', () => {
  const cases = [[good, good, broken, broken], [half]]

  it('averages compilation over trials and tests over cases', () => {
    const stats = codeModelStats(cases, [1, 2])
    expect(stats.compilationRate).toBe(3 / 5)
    expect(stats.testPassRate).toBe((0.5 + 0.5) / 2)
    expect(codeModelStats([[good, good, good], [broken]], [1]).testPassRate).toBe(0.5)
    expect(stats.meanScore).toBeCloseTo((0.5 + 0.7) / 2, 15)
    expect(stats.lintScore).toBeCloseTo((1 + 1 + 0.5) / 3, 15)
    expect(stats.meanLatencyMs).toBe((100 + 100 + 400 + 400 + 100) / 5)
    expect(stats).toMatchObject({ cases: 2, trials: 5 })
  })

  it('takes pass@k over the cases with enough trials, and says how many', () => {
    expect(codeModelStats(cases, [1, 2, 9]).passAtK).toEqual([
      { k: 1, value: 0.25, cases: 2 },
      { k: 2, value: 5 / 6, cases: 1 },
      { k: 9, value: null, cases: 0 },
    ])
  })

  it('adds costs in nano-dollars and has no total where one cost is unknown', () => {
    expect(codeModelStats(cases, [1]).totalCostUsd).toBe(0.6)
    const stats = codeModelStats([[good, { ...good, costUsd: null }]], [1])
    expect(stats).toMatchObject({ totalCostUsd: null, unknownCosts: 1 })
  })

  it('has no lint score where nothing compiles', () => {
    expect(codeModelStats([[broken]], [1]).lintScore).toBeNull()
  })

  it('refuses no cases and negative latencies', () => {
    expect(() => codeModelStats([], [1])).toThrow('cases must not be empty')
    expect(() => codeModelStats([[{ ...good, latencyMs: -1 }]], [1])).toThrow('latencyMs must be')
  })
})
