/**
 * Any Unicode character, as a unit of `fc.string`. fast-check's own unit `binary` has the same characters. But as soon
 * as a string uses it, fast-check lists all 1.1 million of them in a map. That takes two seconds of processor time and
 * 150 MB in each process, and makes every later start of a program slower.
 */
import fc from 'fast-check'

/** No character has a number from here to `AFTER`: these are the halves of pairs in UTF-16. */
const HALVES = 0xd800
const AFTER = 0xe000

export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - (AFTER - HALVES) })
  .map(
    (at) => String.fromCodePoint(at < HALVES ? at : at + (AFTER - HALVES)),
    (given) => {
      const point = typeof given === 'string' ? (given.codePointAt(0) ?? HALVES) : HALVES
      if ((point >= HALVES && point < AFTER) || String.fromCodePoint(point) !== given)
        throw new Error('not one character')
      return point < HALVES ? point : point - (AFTER - HALVES)
    },
  )
