import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearest } from './nearest.ts'

const KEYS = ['prompt', 'tests', 'maxTokens', 'timeout', 'trials', 'id']

describe('nearest', () => {
  it.each([
    ['promt', 'prompt'],
    ['prmopt', 'prompt'],
    ['Prompt', 'prompt'],
    ['max_tokens', 'maxTokens'],
    ['max-token', 'maxTokens'],
    ['time_out', 'timeout'],
    ['trails', 'trials'],
    ['ids', 'id'],
  ])('takes %s for %s', (name, expected) => {
    expect(nearest(name, KEYS)).toBe(expected)
  })

  it.each(['temperature', 'x', '', 'prompting people'])('suggests nothing for %j', (name) => {
    expect(nearest(name, KEYS)).toBeNull()
  })

  it('finds a word again after any one slip', () => {
    const word = fc.stringMatching(/^[a-z]{4,20}$/)
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom('drop', 'double', 'swap'), (text, at, slip) => {
        const i = at % (text.length - 1)
        const a = text[i] ?? ''
        const b = text[i + 1] ?? ''
        const middle = slip === 'drop' ? b : slip === 'double' ? a + a + b : b + a
        const slipped = text.slice(0, i) + middle + text.slice(i + 2)
        expect(nearest(slipped, [text])).toBe(text)
      }),
    )
  })
})
