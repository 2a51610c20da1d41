import fc from 'fast-check'
import { expect, test } from 'vitest'
import { apart } from './apart.ts'

test('labels that would cover each other are moved apart, others stay', () => {
  expect(apart([0.2, 0.8], 0.1)).toEqual([0.2, 0.8])
  const [first = 0, second = 0] = apart([1, 1], 0.1)
  // If two values are equal, the first one is placed above the second.
  expect(first).toBeCloseTo(1)
  expect(second).toBeCloseTo(0.9)
})

test('any two are a gap apart, in their order and within the range', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(fc.array(share, { minLength: 1, maxLength: 9 }), (values) => {
      const moved = apart(values, 0.1)
      const order = values.map((value, i) => ({ value, to: moved[i] as number }))
      for (const a of order) {
        expect(a.to).toBeGreaterThanOrEqual(-1e-9)
        expect(a.to).toBeLessThanOrEqual(1 + 1e-9)
        for (const b of order) {
          if (a === b) continue
          expect(Math.abs(a.to - b.to)).toBeGreaterThan(0.1 - 1e-9)
          if (a.value < b.value) expect(a.to).toBeLessThan(b.to)
        }
      }
    }),
  )
})
