import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyChange } from './classify-change.ts'
import { codeScore, isCorrect, lintScore, testPassRate } from './code-score.ts'

const result = fc.record({
  compiled: fc.boolean(),
  passed: fc.nat(50),
  failed: fc.nat(50),
  warnings: fc.nat(30),
})

describe('codeScore', () => {
  it('lies in [0, 1] and is 1 only for code that is correct and clean', () => {
    fc.assert(
      fc.property(result, (code) => {
        const score = codeScore(code)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
        expect(score === 1).toBe(isCorrect(code) && code.warnings === 0)
      }),
    )
  })

  it('never rises with another failure or another warning', () => {
    fc.assert(
      fc.property(result, (code) => {
        expect(codeScore({ ...code, failed: code.failed + 1 })).toBeLessThanOrEqual(codeScore(code))
        expect(codeScore({ ...code, warnings: code.warnings + 1 })).toBeLessThanOrEqual(
          codeScore(code),
        )
      }),
    )
  })

  it('takes other weights as data', () => {
    const weights = { compilation: 1, tests: 1, lint: 0, perWarning: 0.1 }
    expect(codeScore({ compiled: true, passed: 1, failed: 1, warnings: 9 }, weights)).toBe(0.75)
  })

  it('refuses weights that sum to 0, negative weights and counts that are none', () => {
    const clean = { compiled: true, passed: 1, failed: 0, warnings: 0 }
    const none = { compilation: 0, tests: 0, lint: 0, perWarning: 0.1 }
    expect(() => codeScore(clean, none)).toThrow('weights must not sum to 0')
    expect(() => codeScore(clean, { ...none, tests: -1 })).toThrow('weights.tests must be')
    expect(() => codeScore({ ...clean, warnings: 0.5 })).toThrow('warnings must be')
    expect(() => codeScore({ ...clean, failed: -1 })).toThrow('failed must be')
    expect(() => codeScore({ ...clean, passed: Number.NaN })).toThrow('passed must be')
  })
})

describe('parts of the code score', () => {
  it('no tests, or no compilation, count as 0 of the tests part', () => {
    expect(testPassRate({ compiled: true, passed: 0, failed: 0, warnings: 0 })).toBe(0)
    expect(testPassRate({ compiled: false, passed: 3, failed: 0, warnings: 0 })).toBe(0)
    expect(testPassRate({ compiled: true, passed: 3, failed: 1, warnings: 0 })).toBe(0.75)
  })

  it('the lint part ends at 0', () => {
    expect([lintScore(0), lintScore(5), lintScore(10), lintScore(99)]).toEqual([1, 0.5, 0, 0])
    expect(() => lintScore(-1)).toThrow('warnings must be')
  })

  it('correct needs compilation, at least one test and no failure', () => {
    const code = { compiled: true, passed: 2, failed: 0, warnings: 7 }
    expect(isCorrect(code)).toBe(true)
    expect(isCorrect({ ...code, compiled: false })).toBe(false)
    expect(isCorrect({ ...code, passed: 0 })).toBe(false)
    expect(isCorrect({ ...code, failed: 1 })).toBe(false)
  })
})

describe('classifyChange', () => {
  it('decides every pair of two-decimal scores as whole hundredths do', () => {
    for (let before = 0; before <= 100; before++)
      for (let after = 0; after <= 100; after++)
        for (const threshold of [0, 1, 5, 10]) {
          const drop = before - after
          let expected = 'unchanged'
          if (drop > threshold) expected = 'regression'
          else if (-drop > threshold) expected = 'improvement'
          expect(classifyChange(before / 100, after / 100, threshold / 100)).toBe(expected)
        }
  })

  it.each([
    [0.9, 0.8499, 'regression'],
    [1, 0.95, 'unchanged'],
    [0.55, 0.5, 'unchanged'],
    [0.14, 0.09, 'unchanged'],
  ])('%s to %s at 0.05 is %s', (before, after, expected) => {
    expect(classifyChange(before, after, 0.05)).toBe(expected)
  })

  it('mirrors itself when baseline and current change places', () => {
    const score = fc.double({ min: 0, max: 1, noNaN: true })
    const mirror = { regression: 'improvement', improvement: 'regression', unchanged: 'unchanged' }
    fc.assert(
      fc.property(score, score, (a, b) => {
        expect(classifyChange(b, a, 0.05)).toBe(mirror[classifyChange(a, b, 0.05)])
      }),
    )
  })

  it('refuses a negative threshold and scores that are not numbers', () => {
    expect(() => classifyChange(1, 1, -0.1)).toThrow('threshold must be')
    expect(() => classifyChange(Number.NaN, 1, 0.05)).toThrow('baseline must be')
    expect(() => classifyChange(1, Infinity, 0.05)).toThrow('current must be')
  })
})
