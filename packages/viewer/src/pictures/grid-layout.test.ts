import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gridLayout, placeAt } from './grid-layout.ts'

test('few trials get wide squares, many get narrow ones, very many a window', () => {
  const shape = { width: 1000, rows: 10, label: 40, from: 0 }
  expect(gridLayout({ ...shape, trials: [5, 5] })).toMatchObject({ cellWidth: 20, window: 5 })
  expect(gridLayout({ ...shape, trials: [60, 60] })).toMatchObject({ cellWidth: 6, window: 60 })
  const many = gridLayout({ ...shape, trials: [100_000] })
  expect(many.window).toBeLessThan(200)
  expect(many.width).toBeLessThanOrEqual(1000)
})

test('the square at the middle of a square is that square', () => {
  const shape = fc.record({
    width: fc.integer({ min: 280, max: 2000 }),
    rows: fc.integer({ min: 1, max: 50 }),
    trials: fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 12 }),
    label: fc.nat(60),
    from: fc.constant(0),
  })
  fc.assert(
    fc.property(shape, fc.nat(), fc.nat(), fc.nat(), (given, r, b, c) => {
      const layout = gridLayout(given)
      const row = r % given.rows
      const block = b % given.trials.length
      const { x, columns } = layout.blocks[block] ?? { x: 0, columns: 1 }
      const column = c % columns
      const at = placeAt(
        layout,
        x + (column + 0.5) * layout.cellWidth,
        layout.top + (row + 0.5) * layout.rowHeight,
      )
      expect(at).toEqual({ row, block, column })
    }),
  )
})

test('nothing is found outside the squares', () => {
  const layout = gridLayout({ width: 800, rows: 3, label: 3, trials: [4, 2], from: 0 })
  expect(placeAt(layout, 0, layout.top + 1)).toBeNull()
  expect(placeAt(layout, layout.left + 1, 0)).toBeNull()
  expect(placeAt(layout, layout.left + 1, layout.height + 1)).toBeNull()
  expect(placeAt(layout, layout.left + 4 * layout.cellWidth + 1, layout.top + 1)).toBeNull()
})
