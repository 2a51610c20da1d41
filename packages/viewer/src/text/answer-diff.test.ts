import fc from 'fast-check'
import { expect, it } from 'vitest'
import { answerDiff } from './answer-diff.ts'

it('compares prose by words and code by lines', () => {
  expect(answerDiff('the red house', 'the blue house', false)).toEqual([
    { text: 'the ', kind: 'same' },
    { text: 'red', kind: 'removed' },
    { text: 'blue', kind: 'added' },
    { text: ' house', kind: 'same' },
  ])
  expect(answerDiff('a = 1\nb = 2\n', 'a = 1\nb = 3\n', true)).toEqual([
    { text: 'a = 1\n', kind: 'same' },
    { text: 'b = 2\n', kind: 'removed' },
    { text: 'b = 3\n', kind: 'added' },
  ])
})

it('the parts make up both texts', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '.', 'ü') })
  fc.assert(
    fc.property(text, text, fc.boolean(), (base, other, isCode) => {
      const parts = answerDiff(base, other, isCode) ?? []
      const without = (kind: string) =>
        parts
          .filter((part) => part.kind !== kind)
          .map((part) => part.text)
          .join('')
      expect(without('removed')).toBe(other)
      expect(without('added')).toBe(base)
    }),
  )
})
