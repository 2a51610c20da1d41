import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { binomialDraw } from '../resample/binomial-draw.ts'
import { passRateEstimate } from '../interval/pass-estimate.ts'
import { random } from '../resample/random.ts'
import { type CaseCost, costOfPassRatio } from './cost-of-pass-ratio.ts'
import { linearisedBounds, modelBounds, relativeError } from './log-ratio-interval.ts'

interface Vector {
  readonly cases: readonly CaseCost[] | null
  readonly repeat: readonly [CaseCost, number] | null
  readonly level: number
  readonly value: number | null
  readonly low: number
  readonly high?: number
}

const oneCase = fc.integer({ min: 1, max: 9 }).chain((n) =>
  fc.record({
    n: fc.constant(n),
    c: fc.integer({ min: 0, max: n }),
    cost: fc.integer({ min: 0, max: 1000 }).map((cents) => cents / 100),
  }),
)

/** The lower bound for ten cases that never pass, each with n trials that cost 1. */
const bound = (n: number) =>
  costOfPassRatio(Array.from({ length: 10 }, () => ({ n, c: 0, cost: n }))).interval?.low

describe('costOfPassRatio', () => {
  it('over groups agrees with exact rationals and the jackknife over groups', () => {
    interface Grouped extends Vector {
      readonly cases: readonly CaseCost[]
      readonly groups: readonly number[]
      readonly se?: number
      readonly effectiveN?: number
    }
    for (const [i, v] of golden<Grouped>('cost-of-pass-grouped').entries()) {
      const metric = costOfPassRatio(v.cases, v.level, 1, v.groups)
      expect(metric.groups, `groups ${i}`).toBe(new Set(v.groups).size)
      const { interval } = metric
      if (v.value === null) {
        expect(metric).toMatchObject({ value: null, infinite: true })
        expectClose(interval?.low as number, v.low, 1e-12, `bound ${i}`)
        continue
      }
      expectClose(metric.value as number, v.value, 1e-14, `value ${i}`)
      expectClose(metric.se as number, v.se as number, 1e-12, `se ${i}`)
      expectClose(metric.effectiveN as number, v.effectiveN as number, 1e-12, `effective n ${i}`)
      // The interval contains the linearised one over groups, as far as a pass costs at least one trial.
      const sum = (pick: (one: CaseCost) => number) =>
        v.cases.reduce((total, one) => total + pick(one), 0)
      const trial = sum(({ cost }) => cost) / sum(({ n }) => n)
      expect(interval?.low).toBeLessThanOrEqual(Math.max(v.low, trial) * (1 + 1e-12))
      expect(interval?.high).toBeGreaterThanOrEqual((v.high as number) * (1 - 1e-12))
      expect(interval?.method).toMatch(/over groups$/)
    }
  })

  it('agrees with exact rationals and mpmath', () => {
    for (const v of golden<Vector>('cost-of-pass-ratio')) {
      const cases = v.cases ?? Array.from({ length: v.repeat?.[1] ?? 0 }, () => v.repeat?.[0])
      const metric = costOfPassRatio(cases as readonly CaseCost[], v.level)
      const about = `${cases.length} cases at ${v.level}`
      if (v.value === null) expect(metric).toMatchObject({ value: null, infinite: true })
      else expectClose(metric.value as number, v.value, 1e-15, about)
      const { interval } = metric
      if (v.high === undefined) {
        expectClose(interval?.low as number, v.low, 1e-12, about)
        expect(interval?.high).toBe(Infinity)
      } else {
        // The expected values are those of the linearised interval, which the result contains as far as a pass
        // costs at least one trial.
        const se = relativeError(cases as readonly CaseCost[], metric.value as number)
        const { low, high } = linearisedBounds(
          Math.log(metric.value as number),
          se,
          cases.length,
          v.level,
        )
        expectClose(Math.exp(low), v.low, 1e-12, about)
        expectClose(Math.exp(high), v.high, 1e-12, about)
        const sum = (pick: (one: CaseCost) => number) =>
          (cases as readonly CaseCost[]).reduce((total, one) => total + pick(one), 0)
        const trial = sum(({ cost }) => cost) / sum(({ n }) => n)
        expect(interval?.low).toBeLessThanOrEqual(Math.max(v.low, trial) * (1 + 1e-12))
        expect(interval?.high).toBeGreaterThanOrEqual(v.high * (1 - 1e-12))
      }
      expect(metric.n).toBe(cases.length)
    }
  })

  it('scales with the currency, whatever the cases', () => {
    fc.assert(
      fc.property(fc.array(oneCase, { minLength: 2, maxLength: 12 }), (cases) => {
        const cents = cases.map((x) => ({ ...x, cost: x.cost * 64 }))
        const [dollars, other] = [costOfPassRatio(cases), costOfPassRatio(cents)]
        if (dollars.value === null) expect(other.value).toBeNull()
        else expect(other.value).toBe(dollars.value * 64)
        expect(other.interval === undefined).toBe(dollars.interval === undefined)
        const { low, high } = dollars.interval ?? { low: 0, high: 0 }
        expectClose(other.interval?.low ?? 0, low * 64, 1e-12)
        expectClose(other.interval?.high ?? 0, high * 64, 1e-12)
      }),
    )
  })

  it('holds its value inside its interval and never says [x, x]', () => {
    fc.assert(
      fc.property(fc.array(oneCase, { minLength: 1, maxLength: 12 }), (cases) => {
        const { value, interval, reason } = costOfPassRatio(cases)
        if (interval === undefined) expect(reason).toBeTypeOf('string')
        else {
          expect(interval.low).toBeLessThan(interval.high)
          if (value !== null) {
            expect(interval.low).toBeLessThan(value)
            expect(interval.high).toBeGreaterThan(value)
          }
        }
      }),
    )
  })

  it('covers the true cost of pass about as often as it says (40 cases of 5 trials)', () => {
    // Pass rates are uniform over cases, and harder cases cost more.
    // E cost/E passes = 5(1 + 1/2)/(5/2) = 3.
    let covered = 0
    const suites = 200
    for (let s = 0; s < suites; s++) {
      const draw = random(71, s)
      const cases = Array.from({ length: 40 }, () => {
        const p = draw()
        return { n: 5, c: binomialDraw(draw, 5, p), cost: 5 * (1 + (1 - p) * 2 * draw()) }
      })
      const { low, high } = costOfPassRatio(cases).interval as { low: number; high: number }
      if (low <= 3 && high >= 3) covered++
    }
    expect(covered / suites).toBeGreaterThan(0.92)
  })

  it('has an interval where all cases cost the same and pass equally often', () => {
    const same = Array.from({ length: 20 }, () => ({ n: 5, c: 4, cost: 5 }))
    const { value, interval } = costOfPassRatio(same)
    const rate = passRateEstimate(same, 'population').interval
    expect(value).toBe(1.25)
    // All trials cost the same, so only the pass rate is uncertain.
    expectClose(interval?.low as number, 1 / (rate?.high as number), 1e-12)
    expectClose(interval?.high as number, 1 / (rate?.low as number), 1e-12)
  })

  it.each([0, 1e-6])('narrows as more of 12 cases pass, with costs that vary by %s', (spread) => {
    // One trial per case at $0.20. Resamples in which all cases pass have no spread but that of rounding.
    const prices = Array.from({ length: 12 }, (_, i) => 0.2 * (1 + spread * Math.sin(7 * i)))
    const highs = [6, 8, 9, 10, 11, 12].map((passed) => {
      const cases = prices.map((cost, i) => ({ n: 1, c: i < passed ? 1 : 0, cost }))
      const { interval } = costOfPassRatio(cases)
      // A pass costs at least one trial.
      expect(interval?.low).toBeGreaterThanOrEqual(0.2 * (1 - 2 * spread - 1e-12))
      expect(interval?.high).toBeLessThan(1)
      return interval?.high as number
    })
    expect(highs).toEqual(highs.toSorted((a, b) => b - a))
    // The pass rate of 10 of 12 is at least 51.6 % (Clopper-Pearson), so a pass costs at most $0.39.
    if (spread === 0) expectClose(highs[3] as number, 0.2 / 0.515862251314033, 1e-12)
  })

  it('limits the bootstrap-t by the cost of a trial and the pass rate', () => {
    // Costs vary by 1 %, so resamples in which all cases pass have a little spread, and huge t values.
    const prices = Array.from({ length: 12 }, (_, i) => 0.2 * (1 + 0.01 * Math.sin(7 * i)))
    const cases = prices.map((cost, i) => ({ n: 1, c: i < 10 ? 1 : 0, cost }))
    const { high } = costOfPassRatio(cases).interval as { high: number }
    const rate = passRateEstimate(cases, 'population', 0.975).interval?.low as number
    expect(high).toBeLessThan((1.02 * 0.2) / rate)
  })

  it('has the bounds of Cox for a log-normal mean where every trial passes', () => {
    // R: y <- log(c(1,2,4,8)); m <- mean(y)+var(y)/2; s <- sqrt(var(y)/4+var(y)^2/6);
    // exp(m+qt(.975,3)*s)
    const cases = [1, 2, 4, 8].map((cost) => ({ n: 1, c: 1, cost }))
    const bounds = modelBounds(cases, Math.log(3.75), 0.95)
    const rate = passRateEstimate(cases, 'population').interval?.low as number
    const [y, m] = [[0, Math.LN2, 2 * Math.LN2, 3 * Math.LN2], 1.5 * Math.LN2]
    const variance = y.reduce((sum, one) => sum + (one - m) ** 2, 0) / 3
    const reach = 3.182446305284263 * Math.sqrt(variance / 4 + variance ** 2 / 6)
    const high = m + variance / 2 + reach - Math.log(3.75)
    expectClose(
      bounds?.high as number,
      Math.log(3.75) + Math.hypot(high, Math.log(1 / rate)),
      1e-12,
    )
  })

  it('counts how many cases carry the cost', () => {
    const cheap = Array.from({ length: 9 }, () => ({ n: 1, c: 1, cost: 0.01 }))
    expect(costOfPassRatio([...cheap, { n: 1, c: 1, cost: 10 }]).effectiveN).toBeLessThan(1.1)
    expectClose(costOfPassRatio(cheap).effectiveN as number, 9, 1e-12)
  })

  it('does not depend on the order of the cases', () => {
    const cases = [3, 1, 4, 1, 5, 9, 2, 6].map((cost, i) => ({ n: 2, c: i % 3, cost }))
    expect(costOfPassRatio(cases.toReversed())).toEqual(costOfPassRatio(cases))
  })

  it('takes no more from ten trials of a case that never passes than from one', () => {
    expect(bound(10)).toBe(bound(1))
  })

  it('says why there is no interval', () => {
    const x = { n: 5, c: 2, cost: 3 }
    expect(costOfPassRatio([x])).toEqual({
      value: 1.5,
      n: 1,
      reason: 'one case says nothing about others',
    })
    // A case that cost nothing leaves no model for the costs, and these two show no spread.
    const free = { n: 1, c: 0, cost: 0 }
    expect(costOfPassRatio([free, { n: 1, c: 1, cost: 0.01 }])).toEqual({
      value: 0.01,
      n: 2,
      reason: 'cost per pass is the same in all cases: no spread was seen',
    })
    expect(
      costOfPassRatio([
        { ...x, cost: 0 },
        { n: 1, c: 1, cost: 0 },
      ]),
    ).toMatchObject({ value: 0, n: 2 })
    expect(costOfPassRatio([{ n: 3, c: 0, cost: 0 }])).toMatchObject({
      infinite: true,
      interval: { low: 0, high: Infinity },
    })
  })

  it.each([
    [[], 0.95, 'cases must not be empty'],
    [[{ n: 0, c: 0, cost: 1 }], 0.95, 'n must be'],
    [[{ n: 2, c: 3, cost: 1 }], 0.95, 'c must be'],
    [[{ n: 2, c: 1, cost: -1 }], 0.95, 'cost must be'],
    [[{ n: 2, c: 1, cost: Infinity }], 0.95, 'cost must be'],
    [[{ n: 2, c: 1, cost: 1 }], 1, 'level must be'],
  ])('refuses %j at level %s', (cases, level, message) => {
    expect(() => costOfPassRatio(cases, level)).toThrow(message)
  })
})
