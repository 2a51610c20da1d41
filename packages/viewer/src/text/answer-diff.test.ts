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
      const parts = answerDiff(base, other, isCode)
      // Only prose that has little in common has no parts.
      if (parts === null) {
        expect(isCode).toBe(false)
        return
      }
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

it('does not mix two answers that have little in common', () => {
  const sorry = 'I am sorry. We will refund your kettle within five days.'
  const cold = 'Thank you for your message. Refunds of kettles are up to the shop.'
  expect(answerDiff(sorry, cold, false)).toBeNull()
  expect(answerDiff(sorry, sorry.replace('five', 'ten'), false)).toHaveLength(4)
  expect(answerDiff('', 'a', false)).toBeNull()
  expect(answerDiff('a\n', 'b\n', true)).toHaveLength(2)
})

it('a changed phrase is one piece, not a word of each answer in turn', () => {
  const base = 'We will refund the whole price to your card within five days of today.'
  const other = base.replace('within five days', 'before next Monday')
  expect(answerDiff(base, other, false)?.filter(({ kind }) => kind !== 'same')).toEqual([
    { text: 'within five days', kind: 'removed' },
    { text: 'before next Monday', kind: 'added' },
  ])
})
