import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose } from '../../test/golden.ts'
import { logChoose } from '../special/log-gamma.ts'
import { inverseSamplingRate } from './inverse-sampling-rate.ts'
import { stoppedRate, type StoppingRule } from './stopping-rule.ts'

/** The exact chance that the r-th pass comes in trial N. */
const atTrial = (r: number, N: number, p: number): number =>
  Math.exp(logChoose(N - 1, r - 1) + r * Math.log(p) + (N - r) * Math.log1p(-p))

describe('inverseSamplingRate', () => {
  it.each([
    [1, 0.2],
    [1, 0.5],
    [2, 0.3],
    [5, 0.8],
    [20, 0.6],
  ])('is right on average after %s passes at a rate of %s, where r/N is not', (r, p) => {
    let [mean, naive] = [0, 0]
    for (let N = r; N < r + 400; N++) {
      mean += atTrial(r, N, p) * inverseSamplingRate(N, r)
      naive += (atTrial(r, N, p) * r) / N
    }
    expect(mean).toBeCloseTo(p, 12)
    expect(naive).toBeGreaterThan(p + 0.005)
  })

  it('reads as the notes say without the correction: .40, .69, .89 for .2, .5, .8', () => {
    for (const [p, read] of [
      [0.2, 0.4],
      [0.5, 0.69],
      [0.8, 0.89],
    ] as const) {
      let naive = 0
      for (let N = 1; N < 400; N++) naive += atTrial(1, N, p) / N
      expect(naive).toBeCloseTo(read, 2)
    }
  })

  it('is (c − 1)/(n − 1), and 1 when every trial passed', () => {
    expect(inverseSamplingRate(9, 3)).toBe(0.25)
    expect(inverseSamplingRate(7, 1)).toBe(0)
    expect(inverseSamplingRate(1, 1)).toBe(1)
    expect(inverseSamplingRate(4, 4)).toBe(1)
  })

  it.each([
    [0, 5, 'c must be'],
    [1.5, 5, 'c must be'],
    [6, 5, 'n must be'],
    [2, Number.NaN, 'n must be'],
  ])('refuses r = %s, N = %s', (r, N, message) => {
    expect(() => inverseSamplingRate(N, r)).toThrow(message)
  })
})

describe('stoppedRate', () => {
  it('is right on average when passes or a budget end the run', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 12 }),
        fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        (passes, budget, p) => {
          const rule: StoppingRule = { kind: 'passes', passes }
          let mean = 0
          for (let n = passes; n <= budget; n++)
            mean += atTrial(passes, n, p) * stoppedRate(rule, n, passes).value
          for (let c = 0; c < Math.min(passes, budget + 1); c++)
            mean +=
              Math.exp(logChoose(budget, c) + c * Math.log(p) + (budget - c) * Math.log1p(-p)) *
              stoppedRate(rule, budget, c).value
          expectClose(mean, p, 1e-11)
        },
      ),
    )
  })

  it('says where the outcome decided and c/n is biased', () => {
    expect(stoppedRate({ kind: 'fixed', trials: 9 }, 9, 3)).toEqual({
      value: 1 / 3,
      unbiased: true,
    })
    expect(stoppedRate({ kind: 'fixed', trials: 9 }, 8, 2)).toEqual({ value: 0.25, unbiased: true })
    expect(stoppedRate({ kind: 'passes', passes: 3 }, 9, 3)).toEqual({
      value: 0.25,
      unbiased: true,
    })
    expect(stoppedRate({ kind: 'anytime', alpha: 0.05 }, 9, 3)).toEqual({
      value: 1 / 3,
      unbiased: false,
    })
    expect(stoppedRate({ kind: 'obrienFleming', looks: 5, alpha: 0.05 }, 4, 1)).toEqual({
      value: 0.25,
      unbiased: false,
    })
  })

  it('refuses counts that the rule does not allow', () => {
    expect(() => stoppedRate({ kind: 'fixed', trials: 5 }, 6, 3)).toThrow('n must be')
    expect(() => stoppedRate({ kind: 'passes', passes: 2 }, 6, 3)).toThrow('c must be')
    expect(() => stoppedRate({ kind: 'fixed', trials: 5 }, 5, 6)).toThrow('c must be')
  })
})
