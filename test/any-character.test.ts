import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCharacter } from './any-character.ts'

it('is one well-formed character', () => {
  fc.assert(
    fc.property(anyCharacter, (character) => {
      expect(character).toMatch(/^.$/su)
      expect(character.isWellFormed()).toBe(true)
    }),
  )
})

it('is every kind of character, and a failing string of them is made shorter', () => {
  const kinds = (text: string): string =>
    text.length > 1 ? 'a pair' : text < '\u{80}' ? 'ASCII' : 'one code unit'
  const seen = new Set(fc.sample(anyCharacter, { numRuns: 1000, seed: 1 }).map((one) => kinds(one)))
  expect([...seen].toSorted()).toEqual(['ASCII', 'a pair', 'one code unit'])
  const { counterexample } = fc.check(
    fc.property(fc.string({ unit: anyCharacter }), (text) => !/[\u{10000}-\u{10ffff}]/u.test(text)),
    { seed: 1 },
  )
  expect(counterexample).toEqual(['\u{10000}'])
})

it.each(['', 'ab', '\u{d800}', '\u{dfff}'])('is not %j', (text) => {
  expect(anyCharacter.canShrinkWithoutContext(text)).toBe(false)
})
it.each(['\0', '\u{d7ff}', '\u{e000}', '\u{10ffff}'])('can be %j', (text) => {
  expect(anyCharacter.canShrinkWithoutContext(text)).toBe(true)
})
