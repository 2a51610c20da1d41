import { describe, it } from 'vitest'
import { expectClose } from '../../test/golden.ts'
import { decayIntegral } from './gauss-legendre.ts'

describe('decayIntegral', () => {
  it('integrates exponentials and half bells to the last digits', () => {
    expectClose(
      decayIntegral((d) => 3 * d, 3, 1e-12, Infinity),
      1 / 3,
      1e-14,
    )
    expectClose(
      decayIntegral((d) => (d * d) / 2, 0, 1, Infinity),
      Math.sqrt(Math.PI / 2),
      1e-14,
    )
  })

  it('stops at the limit', () => {
    expectClose(
      decayIntegral((d) => d, 1, 1e-12, 0.5),
      -Math.expm1(-0.5),
      1e-14,
    )
  })
})
