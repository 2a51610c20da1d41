import { expect, it } from 'vitest'
import { signed } from './figures.ts'

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
