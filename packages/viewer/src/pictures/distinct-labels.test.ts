import fc from 'fast-check'
import { expect, it } from 'vitest'
import { distinctLabels } from './distinct-labels.ts'

it('keeps names that fit, and leaves out what all of the others share', () => {
  expect(distinctLabels(['one', 'two'], 3)).toEqual(['one', 'two'])
  expect(distinctLabels(['humaneval/fix/first', 'humaneval/fix/second'], 12)).toEqual([
    '…first',
    '…second',
  ])
  expect(distinctLabels(['a rather long name of a case'], 10)).toEqual(['a rather …'])
})

it('numbers names that look the same when they are cut', () => {
  const names = ['x', 'the same beginning, one', 'the same beginning, two']
  expect(distinctLabels(names, 12)).toEqual(['x', 'the same… #2', 'the same… #3'])
})

it('labels of different names are different and not too long', () => {
  const unit = fc.constantFrom('a', 'b', '-', '/', ' ')
  const names = fc.uniqueArray(fc.string({ unit, minLength: 1, maxLength: 20 }), { maxLength: 30 })
  fc.assert(
    fc.property(names, fc.integer({ min: 6, max: 12 }), (all, most) => {
      const labels = distinctLabels(all, most)
      expect(new Set(labels).size).toBe(all.length)
      for (const label of labels) expect(Array.from(label).length).toBeLessThanOrEqual(most)
    }),
  )
})
