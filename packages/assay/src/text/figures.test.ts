import fc from 'fast-check'
import { expect, it } from 'vitest'
import { count, signed } from './figures.ts'

it.each([
  [0.25, 2, '+0.25', '+0.25'],
  [-0.25, 2, '−0.25', '−0.25'],
  [0, 3, '0.000', '+0.000'],
  [-0, 3, '0.000', '+0.000'],
  [-0.0001, 3, '0.000', '−0.000'],
  [-12.34, 0, '−12', '−12'],
])('signed numbers have one form: %d in %i digits', (value, digits, bare, withSign) => {
  expect(signed(value, digits)).toBe(bare)
  expect(signed(value, digits, 'signed')).toBe(withSign)
})

it('numbers have their digits grouped by thousands as in English', () => {
  // A property must not return the value of an assertion.
  const inEnglish = (n: number): void => {
    expect(count(n)).toBe(n.toLocaleString('en-US'))
  }
  for (const n of [0, -0, 7, -7, 999, 1000, -1000, 12_345, 1_234_567, 0.5, 1234.5, 2 ** 53, 1e21])
    inEnglish(n)
  fc.assert(fc.property(fc.maxSafeInteger(), inEnglish), { seed: 16 })
})
