import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { binomialDraw } from '../resample/binomial-draw.ts'
import { random } from '../resample/random.ts'
import { type CaseCost, costOfPassRatio } from './cost-of-pass-ratio.ts'

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

/** The lower end from ten cases that never pass, n trials each at a cost of 1. */
const bound = (n: number) =>
  costOfPassRatio(Array.from({ length: 10 }, () => ({ n, c: 0, cost: n }))).interval?.low

describe('costOfPassRatio', () => {
  it('agrees with exact rationals and mpmath', () => {
    for (const v of golden<Vector>('cost-of-pass-ratio')) {
      const cases = v.cases ?? Array.from({ length: v.repeat?.[1] ?? 0 }, () => v.repeat?.[0])
      const metric = costOfPassRatio(cases as readonly CaseCost[], v.level)
      const about = `${cases.length} cases at ${v.level}`
      if (v.value === null) expect(metric).toMatchObject({ value: null, infinite: true })
      else expectClose(metric.value as number, v.value, 1e-15, about)
      expectClose(metric.interval?.low as number, v.low, 1e-12, about)
      expectClose(metric.interval?.high as number, v.high ?? Infinity, 1e-12, about)
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
    // Pass rates uniform over cases, and harder cases dearer: E cost/E passes = 5(1 + 1/2)/(5/2) =
    // 3.
    let covered = 0
    const suites = 2000
    for (let s = 0; s < suites; s++) {
      const draw = random(71, s)
      const cases = Array.from({ length: 40 }, () => {
        const p = draw()
        return { n: 5, c: binomialDraw(draw, 5, p), cost: 5 * (1 + (1 - p) * 2 * draw()) }
      })
      const { low, high } = costOfPassRatio(cases).interval as { low: number; high: number }
      if (low <= 3 && high >= 3) covered++
    }
    expect(covered / suites).toBeGreaterThan(0.93)
    expect(covered / suites).toBeLessThan(0.97)
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
    expect(costOfPassRatio([x, x, x]).reason).toContain('no spread was seen')
    expect(costOfPassRatio([x, { n: 5, c: 4, cost: 6 }]).reason).toContain('no spread was seen')
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
