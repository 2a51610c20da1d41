import fc from 'fast-check'
import { expect, it } from 'vitest'
import { codePoints, editDistance } from './edit-distance.ts'

/** Computes the distance directly from its definition, with the full matrix. */
function byDefinition(a: string, b: string, swaps: boolean): number {
  const [x, y] = [codePoints(a), codePoints(b)]
  const table: number[][] = []
  const at = (i: number, j: number): number => table[i]?.[j] ?? Number.NaN
  for (let i = 0; i <= x.length; i++) {
    table.push([])
    for (let j = 0; j <= y.length; j++) {
      const ways = [
        i === 0 && j === 0 ? 0 : Infinity,
        i > 0 ? at(i - 1, j) + 1 : Infinity,
        j > 0 ? at(i, j - 1) + 1 : Infinity,
        i > 0 && j > 0 ? at(i - 1, j - 1) + (x[i - 1] === y[j - 1] ? 0 : 1) : Infinity,
        swaps && i > 1 && j > 1 && x[i - 1] === y[j - 2] && x[i - 2] === y[j - 1]
          ? at(i - 2, j - 2) + 1
          : Infinity,
      ]
      table[i]?.push(Math.min(...ways))
    }
  }
  return at(x.length, y.length)
}

it.each([false, true])('the one edit distance is as defined, with swaps: %s', (swaps) => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '🦊'), maxLength: 12 })
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(editDistance(codePoints(a), codePoints(b), swaps)).toBe(byDefinition(a, b, swaps))
    }),
    { numRuns: 1000 },
  )
})

it.each([
  ['ab', 'ba', 2, 1],
  ['abcd', 'acbd', 2, 1],
  // Optimal string alignment does not edit a swapped pair again, so swaps do not help here.
  ['ca', 'abc', 3, 3],
])('from %s to %s are %i, with swaps %i', (a, b, plain, swapped) => {
  expect(editDistance(codePoints(a), codePoints(b))).toBe(plain)
  expect(editDistance(codePoints(a), codePoints(b), true)).toBe(swapped)
})
