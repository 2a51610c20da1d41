import * as chai from 'chai'
import { expect, it } from 'vitest'
import { CHAI_WORDS } from './chai.ts'

it('the words of chai are those of the real one', () => {
  const own = ['constructor', 'assert', '_obj', '__methods']
  const words = Object.getOwnPropertyNames(chai.Assertion.prototype)
  // vitest adds its matchers to the same prototype.
  const theirs = words.filter((word) => !own.includes(word) && !/^to[A-Z]/.test(word))
  expect(theirs.filter((word) => !CHAI_WORDS.has(word) && !isOfVitest(word))).toEqual([])
  expect([...CHAI_WORDS].filter((word) => !words.includes(word))).toEqual([])
})

/** True for words that vitest itself adds to chai. */
const isOfVitest = (word: string): boolean =>
  [
    'resolves',
    'rejects',
    'withTest',
    'withContext',
    'matchSnapshot',
    'lastCalledWith',
    'nthCalledWith',
  ].includes(word) ||
  /^(?:called|returned|lastReturned|nthReturned|callCount|thrown|resolved)/.test(word)
