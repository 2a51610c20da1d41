/** What every figure with an interval has, wherever it is in a report. */
import { INTERVAL_METHODS } from '@assay/metrics'
import { describe, expect, it } from 'vitest'
import { reportOf, trialOf } from '../../test/report-of.ts'
import type { ReportMetric } from './schema/report.ts'

const CASES = ['a', 'b', 'c', 'd', 'e', 'f']

/** Two subjects on six cases. Passes and costs differ by case and trial, so that every figure has an interval. */
const trialsOf = (subject: string, passEvery: number) =>
  CASES.flatMap((one, at) =>
    Array.from({ length: 4 }, (_, index) => {
      const passed = (at + index) % passEvery !== 0
      return trialOf({
        subject,
        case: one,
        index,
        outcome: passed ? 'passed' : 'failed',
        score: passed ? 1 : 0.25,
        implRate: 0.5 + at / 20,
        cost: { answerUsd: 0.01 * (1 + at), judgeUsd: null, spentUsd: 0 },
      })
    }),
  )

const built = (cases: readonly string[] = CASES) =>
  reportOf(
    [{ id: 's', threshold: 0.9, cases: cases.map((id) => ({ id, trials: 4 })) }],
    [{ id: 'T0' }, { id: 'T1' }],
    [...trialsOf('T0', 2), ...trialsOf('T1', 3)].filter((one) => cases.includes(one.case)),
    { passK: [1, 2], tiers: { order: ['T0', 'T1'], baseline: 'T0' } },
  )

/** Returns every figure of a value that has an interval, with its path. */
function metricsIn(value: unknown, path = ''): (readonly [string, ReportMetric])[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([key, one]) => metricsIn(one, `${path}.${key}`))
  return 'value' in value && 'n' in value && 'interval' in value
    ? [[path, value as ReportMetric], ...inner]
    : inner
}

describe('every figure of a report that has an interval', () => {
  const metrics = metricsIn(built())

  it('has its standard error, its effective n, and a method of the list', () => {
    expect(metrics.length).toBeGreaterThan(30)
    for (const [path, { se, effectiveN, interval }] of metrics) {
      expect(se, path).toBeGreaterThanOrEqual(0)
      expect(effectiveN, path).toBeGreaterThan(0)
      expect(INTERVAL_METHODS, path).toContain(interval?.method)
    }
  })
})

describe('the interval of a difference', () => {
  it('never leaves the possible range, and says where the data do not bound it', () => {
    for (const few of [2, 3, 6]) {
      const { tiers } = built(CASES.slice(0, few))
      const passRate = tiers[0]?.metrics?.find(({ metric }) => metric === 'passRate')
      const population = passRate?.differences[1]?.population
      const { low = NaN, high } = population?.interval ?? {}
      expect(low).toBeGreaterThanOrEqual(-1)
      expect(high).toBeLessThanOrEqual(1)
      const isUnbounded = low === -1 || high === 1
      expect(population?.reason !== undefined).toBe(isUnbounded)
      expect(isUnbounded).toBe(few === 2)
    }
  })
})
