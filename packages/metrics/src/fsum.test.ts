import fc from 'fast-check'
import { expect, it } from 'vitest'
import { golden } from '../test/golden.ts'
import { fsum, mean, Sum } from './fsum.ts'

it('sums and means are the exact ones, rounded once', () => {
  for (const { values, sum, mean: m } of golden<{ values: number[]; sum: number; mean: number }>(
    'sums',
  )) {
    expect(fsum(values), `sum of ${values.join()}`).toBe(sum)
    expect(mean(values), `mean of ${values.join()}`).toBe(m)
  }
})

it('no order of adding changes a sum', () => {
  const values = fc.array(
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e200, max: 1e200 }),
  )
  fc.assert(
    fc.property(values, (list) => {
      expect(fsum(list.toReversed())).toBe(fsum(list))
      expect(fsum(list.toSorted((a, b) => a - b))).toBe(fsum(list))
    }),
  )
})

it('a sum of one or two values is that of adding them one by one', () => {
  const any = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, -0, 1e308, 5e-324))
  fc.assert(
    fc.property(any, any, (a, b) => {
      fc.pre(!Number.isNaN(a + b))
      expect(fsum([a])).toBe(new Sum().add(a).value)
      expect(fsum([a, b])).toBe(new Sum().add(a).add(b).value)
    }),
  )
})

it('values that ascend over hundreds of magnitudes lose nothing', () => {
  const values = Array.from({ length: 1500 }, (_, i) => 2 ** (i - 1000) * (1 + 2 ** -52)).filter(
    Number.isFinite,
  )
  expect(fsum(values)).toBe(fsum(values.toReversed()))
  expect(fsum([...values, ...values.map((x) => -x)])).toBe(0)
})

it('infinities stay infinite, and a mean does not overflow with its sum', () => {
  expect(fsum([1, Infinity, 2])).toBe(Infinity)
  expect(mean([1e308, 1e308])).toBe(1e308)
  expect(mean([1.2e308, 1.4e308, 1.6e308])).toBeCloseTo(1.4e308, -294)
  expect(new Sum().value).toBe(0)
})

it('the mean of nothing, of no numbers and of what has no sum is refused', () => {
  for (const values of [[Number.NaN], [Infinity, -Infinity], ['1', '2']] as number[][]) {
    expect(() => mean(values)).toThrow(RangeError)
    expect(() => fsum(values)).toThrow(RangeError)
  }
  expect(() => mean([])).toThrow('values must not be empty')
})
