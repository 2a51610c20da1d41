import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose } from '../../test/golden.ts'
import { logDeficit } from './log-deficit.ts'

describe('logDeficit', () => {
  it('is u²/2 − u³/3 to the last digit where u − ln(1 + u) has none left', () => {
    expectClose(logDeficit(1e-9), 0.5e-18 - 1e-27 / 3, 1e-15)
    expectClose(logDeficit(-1e-9), 0.5e-18 + 1e-27 / 3, 1e-15)
  })

  it('equals its definition where that is safe', () => {
    fc.assert(
      fc.property(fc.double({ min: -0.9, max: 50, noNaN: true }), (u) => {
        const direct = u - Math.log1p(u)
        expect(Math.abs(logDeficit(u) - direct)).toBeLessThanOrEqual(4e-16 * (1 + Math.abs(u) * 4))
      }),
    )
  })
})
