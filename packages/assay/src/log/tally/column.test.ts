import { random } from '@assay/metrics'
import { describe, expect, it } from 'vitest'
import { Column } from './column.ts'

/** Stores a column and restores it from the stored data. */
function copyOf(column: Column, length: number): Column {
  const [stored, array] = column.stored()
  const data = JSON.parse(JSON.stringify(stored)) as typeof stored
  return Column.restored(length, data, (bytes) => {
    expect(array?.byteLength).toBe(bytes)
    const copy = new Uint8Array(bytes)
    if (array !== null) copy.set(new Uint8Array(array.buffer, array.byteOffset, bytes))
    return copy
  })
}

describe('a column', () => {
  it.each([1, 2, 255, 256, 257, 65_535, 65_536, 65_537, 70_000])(
    'with %d different numbers holds each as it was, also after it is stored',
    (different) => {
      const length = different + 20
      const column = new Column(length)
      const expected = new Float64Array(length).fill(Number.NaN)
      const draw = random(different)
      for (let i = 0; i < 2 * different; i++) {
        const at = i % different
        const value = i < different || draw() < 0.5 ? (at - 3) / 10 : null
        column.set(at, value)
        expected[at] = value ?? Number.NaN
      }
      const copy = copyOf(column, length)
      for (const one of [column, copy])
        expect(Array.from({ length }, (_, i) => one.at(i))).toEqual([...expected])
      // The restored column accepts further numbers.
      copy.set(0, 0.123)
      copy.set(1, null)
      expect([copy.at(0), copy.at(1), column.at(0)]).toEqual([0.123, Number.NaN, expected[0]])
    },
  )

  it('takes no memory until a number is known, and does not tell −0 from 0', () => {
    const column = new Column(5)
    column.set(1, null)
    column.set(2, undefined)
    column.set(3, Number.NaN)
    expect(column.isEmpty).toBe(true)
    expect(column.stored()).toEqual([{ kind: 'none' }, null])
    expect(copyOf(column, 5).isEmpty).toBe(true)
    column.set(4, -0)
    expect(Object.is(column.at(4), 0)).toBe(true)
    expect(column.isEmpty).toBe(false)
  })
})
