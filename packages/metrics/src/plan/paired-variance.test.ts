import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { pairedVariance, type PairedVariance } from './paired-variance.ts'
import type { CaseSums } from './variance-components.ts'

const FIELDS = ['observed', 'noise', 'between', 'trialVarianceA', 'trialVarianceB'] as const

describe('pairedVariance', () => {
  it('agrees with exact rationals from the raw trials', () => {
    const vectors = golden<PairedVariance & { a: CaseSums[]; b: CaseSums[] }>('paired-variance')
    for (const [i, v] of vectors.entries()) {
      const result = pairedVariance(v.a, v.b)
      for (const field of FIELDS)
        expectClose(result?.[field] as number, v[field], 1e-15, `${field} ${i}`)
    }
  })

  it('cannot tell noise from change with one trial somewhere, or with one case', () => {
    const two = { n: 2, sum: 1, sumSq: 1 }
    const one = { n: 1, sum: 1, sumSq: 1 }
    expect(pairedVariance([two, two], [two, one])).toBeNull()
    expect(pairedVariance([one, two], [two, two])).toBeNull()
    expect(pairedVariance([two], [two])).toBeNull()
  })

  it('refuses lists that do not belong together', () => {
    const two = { n: 2, sum: 1, sumSq: 1 }
    expect(() => pairedVariance([two, two], [two])).toThrow('a and b must have the same length')
    expect(() => pairedVariance([], [])).toThrow('a must not be empty')
    expect(() => pairedVariance([two], [{ n: 2, sum: 3, sumSq: 1 }])).toThrow('sumSq must be')
  })
})
