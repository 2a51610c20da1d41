import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { similarityOf, type Measure } from './similarity-score.ts'

const MEASURES: readonly Measure[] = ['edit', 'f1', 'jaccard']
/** The texts use few different letters, so that they have much in common. */
const texts = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '😀'), maxLength: 12 })

/** Computes the Levenshtein distance directly by its definition, with the whole table. */
function slowDistance(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return a.length + b.length
  return Math.min(
    slowDistance(a.slice(1), b) + 1,
    slowDistance(a, b.slice(1)) + 1,
    slowDistance(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1),
  )
}

describe('likeness', () => {
  it('lies in [0, 1], is 1 for the same text, and does not depend on the order', () => {
    fc.assert(
      fc.property(texts, texts, fc.constantFrom(...MEASURES), (a, b, by) => {
        const alike = similarityOf(a, b, by)
        expect(alike).toBeGreaterThanOrEqual(0)
        expect(alike).toBeLessThanOrEqual(1)
        expect(similarityOf(a, a, by)).toBe(1)
        expect(similarityOf(b, a, by)).toBe(alike)
      }),
    )
  })

  it('counts edits of characters as the definition does', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 5 })
    fc.assert(
      fc.property(short, short, (a, b) => {
        const [x, y] = [Array.from(a), Array.from(b)]
        const longer = Math.max(x.length, y.length)
        const expected = longer === 0 ? 1 : 1 - slowDistance(x, y) / longer
        expect(similarityOf(a, b, 'edit')).toBe(expected)
      }),
    )
  })

  it.each([
    // kitten → sitting is the textbook example: three edits, and the longer word has seven letters.
    ['kitten', 'sitting', 'edit', 1 - 3 / 7],
    ['', 'abc', 'edit', 0],
    // Two common words ("the" once, and "cat") of four and three words: 2 · 2 / (4 + 3).
    ['the cat the dog', 'the cat sat', 'f1', 4 / 7],
    // Two common words (the, cat) of four different words (the, cat, dog, sat).
    ['the cat the dog', 'the cat sat', 'jaccard', 2 / 4],
    ['a, b!', '(b) a', 'f1', 1],
    ['…', '!', 'jaccard', 1],
  ] as const)('%j and %j by %s', (a, b, by, expected) => {
    expect(similarityOf(a, b, by)).toBeCloseTo(expected, 15)
  })
})
