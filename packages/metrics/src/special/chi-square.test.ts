import { describe, expect, it } from 'vitest'
import { expectClose } from '../../test/golden.ts'
import { chiSquareSf } from './chi-square.ts'

describe('chiSquareSf', () => {
  it('has the closed form e^(−x/2) for two degrees of freedom', () => {
    for (const x of [0, 0.1, 1, 5.991464547107979, 80, 1300])
      expectClose(chiSquareSf(x, 2), Math.exp(-x / 2), 5e-14, `x = ${x}`)
  })

  it('is 0.05 at the tabulated critical values', () => {
    expectClose(chiSquareSf(3.841458820694124, 1), 0.05, 1e-14)
    expectClose(chiSquareSf(18.307038053275146, 10), 0.05, 1e-14)
  })

  it('refuses negative statistics and df ≤ 0', () => {
    expect(() => chiSquareSf(-1, 1)).toThrow('x must be')
    expect(() => chiSquareSf(1, 0)).toThrow('df must be')
  })
})
