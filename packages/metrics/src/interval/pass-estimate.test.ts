import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import type { CaseCounts, IntervalMethod, Metric, Target } from '../metric.ts'
import { passAtKEstimate, passHatKEstimate, passRateEstimate } from './pass-estimate.ts'
import { kornGraubard } from './proportion/clopper-pearson.ts'
import { containing } from './similar-trials.ts'
import type { EffectiveInterval } from './weighted-mean.ts'

interface Vector {
  readonly suite: string
  readonly cases: readonly (readonly [n: number, c: number])[]
  readonly aim: 'all' | 'any'
  readonly k: number
  readonly target: Target
  readonly level: number
  readonly n: number
  readonly value: number
  readonly low: number
  readonly high: number
}

const suite = fc.array(
  fc
    .integer({ min: 1, max: 12 })
    .chain((n) => fc.integer({ min: 0, max: n }).map((c): CaseCounts => ({ n, c }))),
  { minLength: 2, maxLength: 30 },
)

const targets: readonly Target[] = ['population', 'fixed']

const boundsOf = (metric: Metric) => {
  if (metric.interval === undefined) throw new Error('no interval')
  return metric.interval
}

const method = (cases: readonly CaseCounts[], k: number, target: Target) =>
  boundsOf(passAtKEstimate(cases, k, target)).method

/** Ten cases with three trials and ten cases with `large` trials. All trials passed. */
const halfAt = (large: number) => [
  ...Array.from({ length: 10 }, () => ({ n: 3, c: 3 })),
  ...Array.from({ length: 10 }, () => ({ n: large, c: large })),
]

describe('passAtKEstimate and passHatKEstimate', () => {
  it('agree with exact rationals, leave-one-out jackknife and mpmath quantiles to 1e-12', () => {
    for (const v of golden<Vector>('suite-intervals')) {
      const cases = v.cases.map(([n, c]) => ({ n, c }))
      const estimate = v.aim === 'any' ? passAtKEstimate : passHatKEstimate
      const metric = estimate(cases, v.k, v.target, v.level)
      const at = `${v.suite}, ${v.aim} of ${v.k}, ${v.target}, ${v.level}`
      expectClose(metric.value ?? Number.NaN, v.value, 1e-14, `value of ${at}`)
      expect(metric.n, at).toBe(v.n)
      expectClose(boundsOf(metric).low, v.low, 1e-12, `low of ${at}`)
      expectClose(boundsOf(metric).high, v.high, 1e-12, `high of ${at}`)
    }
  })

  it('lie within [0, 1] with the value inside, for any suite, k and target', () => {
    fc.assert(
      fc.property(suite, fc.integer({ min: 1, max: 8 }), (cases, k) => {
        for (const estimate of [passAtKEstimate, passHatKEstimate])
          for (const target of targets) {
            const metric = estimate(cases, k, target)
            if (metric.value === null || metric.interval === undefined) continue
            const { low, high } = metric.interval
            expect(low).toBeGreaterThanOrEqual(0)
            expect(high).toBeLessThanOrEqual(1)
            expect(low).toBeLessThanOrEqual(metric.value + 1e-12)
            expect(high).toBeGreaterThanOrEqual(metric.value - 1e-12)
            expect(high - low).toBeGreaterThan(0)
          }
      }),
    )
  })

  it('do not depend on the order of the cases, to the last bit', () => {
    fc.assert(
      fc.property(suite, fc.integer({ min: 1, max: 5 }), (cases, k) => {
        for (const target of targets)
          expect(passAtKEstimate(cases.toReversed(), k, target)).toEqual(
            passAtKEstimate(cases, k, target),
          )
      }),
    )
  })

  it('are each other’s mirror when passes and failures swap', () => {
    fc.assert(
      fc.property(suite, fc.integer({ min: 1, max: 5 }), (cases, k) => {
        const mirrored = cases.map(({ n, c }) => ({ n, c: n - c }))
        for (const target of targets) {
          const metric = passAtKEstimate(cases, k, target)
          const mirror = passHatKEstimate(mirrored, k, target)
          expect(mirror.n).toBe(metric.n)
          if (metric.interval === undefined || mirror.interval === undefined) continue
          expect(Math.abs(mirror.interval.low - (1 - metric.interval.high))).toBeLessThan(1e-9)
          expect(Math.abs(mirror.interval.high - (1 - metric.interval.low))).toBeLessThan(1e-9)
        }
      }),
    )
  })

  it('leave out cases with fewer than k trials', () => {
    const cases = [
      { n: 5, c: 4 },
      { n: 5, c: 5 },
      { n: 2, c: 0 },
      { n: 0, c: 0 },
    ]
    for (const target of targets)
      expect(passAtKEstimate(cases, 3, target)).toEqual(
        passAtKEstimate(cases.slice(0, 2), 3, target),
      )
    expect(passAtKEstimate(cases, 3, 'fixed').n).toBe(2)
  })

  it('answer null with the reason when no case is left', () => {
    expect(passAtKEstimate([{ n: 2, c: 1 }], 3, 'fixed')).toEqual({
      value: null,
      reason: 'no case has at least 3 trials',
      n: 0,
    })
    expect(passHatKEstimate([], 1, 'population').reason).toBe('no case has a trial')
  })

  it('give one case a value without an interval for the population, with one for the fixed set', () => {
    const metric = passAtKEstimate([{ n: 5, c: 3 }], 2, 'population')
    expect(metric.value).toBe(0.9)
    expect(metric.interval).toBeUndefined()
    expect(metric.reason).toBe('one case says nothing about others: no interval')
    expect(boundsOf(passAtKEstimate([{ n: 5, c: 3 }], 2, 'fixed')).target).toBe('fixed')
  })

  it('name the method that was used', () => {
    const mixed = [
      { n: 5, c: 4 },
      { n: 5, c: 0 },
      { n: 5, c: 1 },
    ]
    expect(method(mixed, 2, 'population')).toBe('Clopper-Pearson on effective n')
    expect(method(mixed, 5, 'population')).toBe('Clopper-Pearson over cases')
    expect(method(mixed, 2, 'fixed')).toBe('Clopper-Pearson on effective n')
  })

  it('change little from n = k to n just above k, where each case has few values', () => {
    // Nine cases always pass and one passed once. Its pass@10 is 1, 10/11, 10/12, …
    const trials = [10, 11, 12, 13, 15, 20]
    const lows = (target: Target): number[] =>
      trials.map((n) => {
        const cases = [{ n, c: 1 }, ...Array.from({ length: 9 }, () => ({ n, c: n }))]
        return boundsOf(passAtKEstimate(cases, 10, target)).low
      })
    const shown = (target: Target): string[] => lows(target).map((low) => low.toFixed(3))
    expect(shown('population')).toEqual(['0.692', '0.701', '0.709', '0.716', '0.728', '0.744'])
    expect(shown('fixed')).toEqual(['0.692', '0.701', '0.709', '0.716', '0.728', '0.751'])
  })

  it('are the exact interval for the effective n next to them, with equal numbers of trials', () => {
    const equal = fc
      .record({ n: fc.integer({ min: 1, max: 14 }), m: fc.integer({ min: 2, max: 20 }) })
      .chain(({ n, m }) =>
        fc.array(
          fc.integer({ min: 0, max: n }).map((c): CaseCounts => ({ n, c })),
          { minLength: m, maxLength: m },
        ),
      )
    fc.assert(
      fc.property(equal, fc.integer({ min: 1, max: 14 }), (cases, k) => {
        for (const estimate of [passAtKEstimate, passHatKEstimate])
          for (const target of targets) {
            const { value, effectiveN, interval } = estimate(cases, k, target)
            if (value === null || interval === undefined || effectiveN === undefined) continue
            const { low, high } = kornGraubard(Math.min(1, value), effectiveN)
            expect(interval.low).toBeCloseTo(low, 9)
            expect(interval.high).toBeCloseTo(high, 9)
            const attempts = (cases.length * (cases[0] as CaseCounts).n) / k
            if (k === 1) continue
            if (target === 'fixed') expect(effectiveN).toBeGreaterThanOrEqual(attempts - 1e-9)
            else expect(effectiveN).toBeLessThanOrEqual(attempts + 1e-9)
          }
      }),
    )
  })

  it('report a standard error that attempts of k trials can have', () => {
    const cases = [{ n: 11, c: 1 }, ...Array.from({ length: 9 }, () => ({ n: 11, c: 11 }))]
    const { value, se } = passAtKEstimate(cases, 10, 'fixed')
    // The jackknife alone gives 0.0909.
    expect(se).toBeCloseTo(Math.sqrt(((value ?? 0) * (1 - (value ?? 0))) / 11), 12)
  })

  it('count unequal trials by their harmonic mean, not by their sum', () => {
    // If half of the cases have 3 trials, 1,000 trials in the others can at most halve the variance.
    const equal = boundsOf(passAtKEstimate(halfAt(3), 1, 'fixed'))
    const unequal = boundsOf(passAtKEstimate(halfAt(1000), 1, 'fixed'))
    expect(1 - unequal.low).toBeGreaterThan((1 - equal.low) / 2.1)
  })

  it('refuse k below 1, counts that are no counts and levels that are no levels', () => {
    expect(() => passAtKEstimate([{ n: 5, c: 3 }], 0, 'fixed')).toThrow('k must be')
    expect(() => passHatKEstimate([{ n: 5, c: 6 }], 1, 'fixed')).toThrow('c must be')
    expect(() => passHatKEstimate([{ n: -1, c: 0 }], 1, 'fixed')).toThrow('n must be')
    expect(() => passRateEstimate([{ n: 5, c: 3 }], 'fixed', 1.5)).toThrow('level must be')
  })
})

describe('passRateEstimate', () => {
  it('is pass@1 and pass^1', () => {
    const cases = [
      { n: 5, c: 4 },
      { n: 7, c: 2 },
    ]
    for (const target of targets) {
      expect(passRateEstimate(cases, target)).toEqual(passAtKEstimate(cases, 1, target))
      expect(passRateEstimate(cases, target).value).toBe(passHatKEstimate(cases, 1, target).value)
    }
  })

  it('is wider for the population than for the fixed set when cases differ', () => {
    const cases = [0, 5, 1, 5, 4, 5, 0, 5, 3, 5].map((c) => ({ n: 5, c }))
    const width = (target: Target) => {
      const { low, high } = boundsOf(passRateEstimate(cases, target))
      return high - low
    }
    expect(width('population')).toBeGreaterThan(1.5 * width('fixed'))
  })
})

const made = (
  [low, high]: readonly [number, number],
  name: IntervalMethod,
  target: Target,
  effectiveN: number,
): EffectiveInterval => ({ interval: { low, high, level: 0.95, method: name, target }, effectiveN })

const overCases = made([0.4, 0.8], 'Clopper-Pearson over cases', 'population', 10)
const overTrials = (low: number, high: number): EffectiveInterval =>
  made([low, high], 'Clopper-Pearson over trials, by number of trials', 'fixed', 7)

describe('containing', () => {
  it('keeps the population interval that contains that of the fixed set', () => {
    expect(containing(overCases, overTrials(0.5, 0.7))).toEqual(overCases)
  })

  it('describes the interval of the fixed set if both ends come from it', () => {
    expect(containing(overCases, overTrials(0.3, 0.8))).toEqual(
      made([0.3, 0.8], 'Clopper-Pearson over trials, by number of trials', 'population', 7),
    )
  })

  it('names both if each gives one end', () => {
    expect(containing(overCases, overTrials(0.5, 0.9))).toEqual(
      made([0.4, 0.9], 'hull of the intervals over cases and over trials', 'population', 7),
    )
  })
})
