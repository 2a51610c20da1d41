import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeMultiTrialMetrics, flakinessPercent, isFlaky } from './multi-trial.ts'

describe('computeMultiTrialMetrics', () => {
  it.each([
    [[true], { perTrialPassRate: 1, passAtK: 1, passToTheK: 1, k: 1 }],
    [[true, false], { perTrialPassRate: 0.5, passAtK: 1, passToTheK: 0.25, k: 2 }],
    [[true, true, true], { perTrialPassRate: 1, passAtK: 1, passToTheK: 1, k: 3 }],
    [[false, false, false], { perTrialPassRate: 0, passAtK: 0, passToTheK: 0, k: 3 }],
  ])('%j gives %j', (trials, expected) => {
    expect(computeMultiTrialMetrics(trials)).toEqual(expected)
  })

  it('does not depend on the order of trials', () => {
    const shuffled = fc
      .array(fc.boolean(), { minLength: 1, maxLength: 40 })
      .chain((trials) =>
        fc.tuple(
          fc.constant(trials),
          fc.shuffledSubarray(trials, { minLength: trials.length, maxLength: trials.length }),
        ),
      )
    fc.assert(
      fc.property(shuffled, ([trials, other]) => {
        expect(computeMultiTrialMetrics(other)).toEqual(computeMultiTrialMetrics(trials))
      }),
    )
  })

  it('refuses an empty list', () => {
    expect(() => computeMultiTrialMetrics([])).toThrow('trialPassed must not be empty')
    expect(() => computeMultiTrialMetrics(['false'] as unknown as boolean[])).toThrow(
      'true or false',
    )
  })
})

describe('flakiness', () => {
  it.each([
    [5, 4, true, 20],
    [5, 5, false, 0],
    [5, 0, false, 0],
    [2, 1, true, 50],
    [100, 99, true, 1],
    [1, 1, false, 0],
  ])('of n = %s, c = %s: %s, %s percent', (n, c, flaky, percent) => {
    expect(isFlaky(n, c)).toBe(flaky)
    expect(flakinessPercent(n, c)).toBe(percent)
  })

  it('of one in three is a third of a hundred', () => {
    expect(flakinessPercent(3, 1)).toBeCloseTo(100 / 3, 12)
  })

  it('refuses more passes than trials', () => {
    expect(() => isFlaky(2, 3)).toThrow('c must be')
    expect(() => flakinessPercent(2, 3)).toThrow('c must be')
  })
})
