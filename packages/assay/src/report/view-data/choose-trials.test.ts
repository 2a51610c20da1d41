import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseTrials, spread } from './choose-trials.ts'

const letters = fc.array(
  fc
    .array(fc.constantFrom('p', 'f', 'e', 'u', 'c'), { maxLength: 12 })
    .map((list) => list.join('')),
  { maxLength: 12 },
)

test('failed and errored trials come first, one of each cell before a second of any', () => {
  expect(chooseTrials(['pff', 'pep', 'ppp'], 4)).toEqual([
    { cell: 0, index: 1 },
    { cell: 1, index: 1 },
    { cell: 0, index: 2 },
    { cell: 0, index: 0 },
  ])
})

test('where a round does not fit, it is spread over all cells', () => {
  const cells = chooseTrials(
    Array.from({ length: 1000 }, () => 'f'),
    10,
  ).map(({ cell }) => cell)
  expect(cells).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900])
})

test('every recorded trial is chosen once where there is room, and never a cancelled one', () => {
  fc.assert(
    fc.property(letters, fc.integer({ min: 0, max: 200 }), (outcomes, most) => {
      const chosen = chooseTrials(outcomes, most)
      const recorded = outcomes.join('').replaceAll('c', '').length
      expect(chosen).toHaveLength(Math.min(most, recorded))
      expect(new Set(chosen.map(({ cell, index }) => `${cell} ${index}`)).size).toBe(chosen.length)
      const said = chosen.map(({ cell, index }) => outcomes[cell]?.[index]).join('')
      expect(said).toMatch(/^[fe]*[pu]*$/)
    }),
  )
})

test('a part of a list keeps its order and its first', () => {
  expect(spread([1, 2, 3, 4, 5], 2)).toEqual([1, 3])
  expect(spread([1, 2], 5)).toEqual([1, 2])
})
