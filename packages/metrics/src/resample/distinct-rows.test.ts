import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { distinctRows } from './distinct-rows.ts'

const pair = fc.tuple(fc.integer({ min: -2, max: 2 }), fc.constantFrom(0.1, 0.2, -0))

describe('distinctRows', () => {
  it('keeps each row as often as it came', () => {
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 40 }), (rows) => {
        const { cases, multiplicity, columns } = distinctRows(rows)
        const back = Array.from(multiplicity, (count, i) =>
          Array.from({ length: count }, () => columns.map((c) => c[i]).join(' ')),
        ).flat()
        expect(cases).toBe(rows.length)
        expect(back.toSorted()).toEqual(rows.map(([a, b]) => `${a + 0} ${b + 0}`).toSorted())
        expect(new Set(back).size).toBe(multiplicity.length)
      }),
    )
  })

  it('does not depend on the order of the cases', () => {
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 30 }), (rows) => {
        expect(distinctRows(rows.toReversed())).toEqual(distinctRows(rows))
      }),
    )
  })

  it.each([
    [[], 'rows must not be empty'],
    [[[1, 2], [1]], 'rows[0] and rows[1] must have the same length'],
    [[[1], [Number.NaN]], 'rows[1][0] must be'],
    [[[Infinity]], 'rows[0][0] must be'],
  ])('refuses %s', (rows, message) => {
    expect(() => distinctRows(rows)).toThrow(message)
  })
})
