import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sorted } from './sorted.ts'

test('rows without a value come last in both directions', () => {
  const rows = [3, null, 1, null, 2]
  expect(sorted(rows, (row) => row, 'ascending')).toEqual([1, 2, 3, null, null])
  expect(sorted(rows, (row) => row, 'descending')).toEqual([3, 2, 1, null, null])
})

test('names with numbers stand in the order of the numbers', () => {
  const rows = ['case 10', 'case 9', 'case 1']
  expect(sorted(rows, (row) => row, 'ascending')).toEqual(['case 1', 'case 9', 'case 10'])
})

test('sorting keeps every row, infinite values and equals in their order included', () => {
  const row = fc.record({
    id: fc.nat(),
    value: fc.option(fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(Infinity))),
  })
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const up = sorted(rows, ({ value }) => value, 'ascending')
      expect(new Set(up)).toEqual(new Set(rows))
      for (const [i, one] of up.entries()) {
        const next = up[i + 1]
        if (next === undefined || one.value === null) continue
        expect(next.value ?? Infinity).toBeGreaterThanOrEqual(one.value)
        if (next.value === one.value) expect(rows.indexOf(next)).toBeGreaterThan(rows.indexOf(one))
      }
    }),
  )
})
