import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { golden } from '../../test/golden.ts'
import { zeroFailureTrials } from './zero-failure-trials.ts'

const open = fc.double({ min: 0.001, max: 0.999, noNaN: true })

describe('zeroFailureTrials', () => {
  it('agrees with exact powers, also where the logarithms divide without a rest', () => {
    const vectors = golden<{ p: number; confidence: number; trials: number }>('zero-failure-trials')
    for (const { p, confidence, trials } of vectors)
      expect(zeroFailureTrials(p, confidence), `${p} at ${confidence}`).toBe(trials)
  })

  it('is the fewest: one trial less leaves too much chance', () => {
    fc.assert(
      fc.property(open, open, (p, confidence) => {
        const n = zeroFailureTrials(p, confidence)
        expect(p ** n).toBeLessThanOrEqual((1 - confidence) * (1 + 1e-9))
        if (n > 1) expect(p ** (n - 1)).toBeGreaterThan((1 - confidence) * (1 - 1e-9))
      }),
    )
  })

  it('is 29 for nine in ten at 95 %, the default', () => {
    expect(zeroFailureTrials(0.9)).toBe(29)
  })

  it('refuses certainty', () => {
    expect(() => zeroFailureTrials(1, 0.95)).toThrow('p must be')
    expect(() => zeroFailureTrials(0, 0.95)).toThrow('p must be')
    expect(() => zeroFailureTrials(0.9, 1)).toThrow('confidence must be')
  })
})
