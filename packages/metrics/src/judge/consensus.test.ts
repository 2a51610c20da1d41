import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { consensus, meanDifference } from './consensus.ts'

interface Vector {
  scores: number[]
  confidences: number[]
  consensus: number
  difference: number | null
}

const opinions = ({ scores, confidences }: Pick<Vector, 'scores' | 'confidences'>) =>
  scores.map((score, i) => ({ score, confidence: confidences[i] as number }))

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const runs = fc.array(fc.record({ score: unit, confidence: unit }), { minLength: 1, maxLength: 9 })

describe('consensus', () => {
  it('agrees with exact rationals', () => {
    for (const vector of golden<Vector>('consensus'))
      expectClose(
        consensus(opinions(vector)) as number,
        vector.consensus,
        1e-14,
        `${vector.scores}`,
      )
  })

  it('lies between the lowest and the highest score, whatever the order', () => {
    fc.assert(
      fc.property(runs, (given) => {
        const value = consensus(given) as number
        const scores = given.map(({ score }) => score)
        expect(value).toBeGreaterThanOrEqual(Math.min(...scores))
        expect(value).toBeLessThanOrEqual(Math.max(...scores))
        expect(consensus(given.toReversed())).toBe(value)
      }),
    )
  })

  it('ignores a run without confidence, unless no run has any', () => {
    const sure = { score: 0.9, confidence: 0.5 }
    expect(consensus([sure, { score: 0, confidence: 0 }])).toBe(0.9)
    expect(
      consensus([
        { score: 1, confidence: 0 },
        { score: 0, confidence: 0 },
      ]),
    ).toBe(0.5)
    expect(consensus([])).toBeNull()
  })

  it('refuses scores and confidences out of range', () => {
    for (const wrong of [-0.1, 1.1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => consensus([{ score: 0.5, confidence: wrong }])).toThrow(/confidence must be/)
      expect(() => consensus([{ score: wrong, confidence: 0.5 }])).toThrow(/score must be/)
    }
  })
})

describe('meanDifference', () => {
  it('agrees with exact rationals', () => {
    for (const { scores, difference } of golden<Vector>('consensus')) {
      const value = meanDifference(scores)
      if (difference === null) expect(value).toBeNull()
      else expectClose(value as number, difference, 1e-14, `${scores}`)
    }
  })

  it('is the distance of two scores, and shrinks as further ones agree with most', () => {
    expect(meanDifference([0.2, 0.7])).toBeCloseTo(0.5, 15)
    expect(meanDifference([0.9, 0.9, 0.3])).toBeCloseTo(0.4, 15)
    expect(meanDifference([0.9, 0.9, 0.3, 0.9])).toBeCloseTo(0.3, 15)
    expect(() => meanDifference([Number.NaN, 1])).toThrow(/score must be/)
  })
})
