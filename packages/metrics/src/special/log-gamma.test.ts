import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { logBeta, logChoose, logGamma, logGammaOnePlus, stirlingError } from './log-gamma.ts'

interface Vector {
  readonly x?: number
  readonly logGamma?: number
  readonly a?: number
  readonly b?: number
  readonly logBeta?: number
  readonly n?: number
  readonly k?: number
  readonly logChoose?: number
}

const vectors = golden<Vector>('log-gamma')

/** The tolerance is relative, but absolute if the expected value is below 1. */
function expectNear(actual: number, expected: number, tolerance: number, message: string): void {
  const error = Math.abs(actual - expected) / Math.max(Math.abs(expected), 1)
  expect(error, `${message}: ${actual} should be ${expected}`).toBeLessThanOrEqual(tolerance)
}

describe('logGamma', () => {
  it('agrees with mpmath to 1e-15, relatively also around its zeros at 1 and 2', () => {
    for (const { x, logGamma: expected } of vectors) {
      if (x === undefined || expected === undefined) continue
      expectClose(logGamma(x), expected, 1e-15, `ln Γ(${x})`)
    }
  })

  it('is exactly 0 at 1 and 2', () => {
    expect(logGamma(1)).toBe(0)
    expect(logGamma(2)).toBe(0)
  })

  it('obeys Γ(x + 1) = xΓ(x) across the seams of its three methods', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 50, noNaN: true }), (x) => {
        expectNear(logGamma(x + 1), logGamma(x) + Math.log(x), 2e-15, `x = ${x}`)
      }),
    )
  })

  it.each([0, -1, Number.NaN, Infinity])('refuses %s', (x) => {
    expect(() => logGamma(x)).toThrow(RangeError)
  })
})

describe('logGammaOnePlus', () => {
  it('keeps the digits of a that 1 + a would lose', () => {
    expectClose(logGammaOnePlus(1e-20), -0.5772156649015329e-20, 1e-15)
    expect(logGammaOnePlus(0.75)).toBe(logGamma(1.75))
  })
})

describe('stirlingError', () => {
  it('joins its series and the direct difference at 12', () => {
    expectClose(stirlingError(12), stirlingError(12 - 1e-12), 1e-12)
  })
})

describe('logBeta', () => {
  it('agrees with mpmath to 2e-15 from 0.001 to 1e15', () => {
    for (const { a, b, logBeta: expected } of vectors) {
      if (a === undefined || b === undefined || expected === undefined) continue
      expectNear(logBeta(a, b), expected, 2e-15, `ln B(${a}, ${b})`)
    }
  })

  it('is symmetric', () => {
    const shape = fc.double({ min: 1e-3, max: 1e6, noNaN: true })
    fc.assert(fc.property(shape, shape, (a, b) => logBeta(a, b) === logBeta(b, a)))
  })

  it('refuses what is not positive', () => {
    expect(() => logBeta(0, 1)).toThrow('a must be above 0')
    expect(() => logBeta(1, -2)).toThrow('b must be above 0')
  })
})

describe('logChoose', () => {
  it('agrees with mpmath to 2e-15 up to n = 9e15', () => {
    for (const { n, k, logChoose: expected } of vectors) {
      if (n === undefined || k === undefined || expected === undefined) continue
      expectClose(logChoose(n, k), expected, 2e-15, `ln C(${n}, ${k})`)
    }
  })

  it('is 0 at both ends', () => {
    expect(logChoose(0, 0)).toBe(0)
    expect(logChoose(7, 0)).toBe(0)
    expect(logChoose(7, 7)).toBe(0)
  })

  it('refuses k above n and fractions', () => {
    expect(() => logChoose(3, 4)).toThrow('k must be')
    expect(() => logChoose(3.5, 1)).toThrow('n must be')
  })
})
