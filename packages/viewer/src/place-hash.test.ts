import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashOf, placeOf } from './place-hash.ts'
import { anyCharacter } from '../../../test/any-character.ts'

const name = fc.string({ unit: anyCharacter }).map((text) => text.toWellFormed())

test('every trial’s address leads back to it', () => {
  fc.assert(
    fc.property(name, name, name, fc.nat(999_999_999), (suite, one, subject, index) => {
      const place = { suite, case: one, subject, index }
      expect(placeOf(hashOf(place))).toEqual(place)
    }),
  )
})

test('other hashes name no trial', () => {
  for (const hash of ['', '#', '#a/b/c', '#a/b/c/x', '#a/b/c/-1', '#%/b/c/1', '#a/b/c/1/2'])
    expect(placeOf(hash)).toBeNull()
})

test('half a character is replaced, not thrown on', () => {
  expect(hashOf({ suite: '\ud800', case: 'c', subject: 's', index: 0 })).toBe('#%EF%BF%BD/c/s/0')
})
