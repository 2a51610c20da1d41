import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ViewStep } from './data/source.ts'
import { findIn, patternOf } from './find-steps.ts'
import { anyCharacter } from '../../../test/any-character.ts'

const call: ViewStep = {
  kind: 'tool-call',
  at: 0,
  turn: 0,
  name: 'Bash',
  gist: 'npm test',
  args: '{"command":"npm test","description":"Run"}',
  result: { text: 'İstanbul: 1 failed', more: 9 },
  failed: true,
  ms: 1,
}

const found = (words: string): string | null => {
  const pattern = patternOf(words)
  return pattern === null ? null : findIn(call, pattern)
}

test('names, arguments and results are searched in any case, and it says what folding hides', () => {
  expect(['bash', 'description', 'ISTANBUL', '1 FAILED', 'else'].map(found)).toEqual([
    'outside',
    'inside',
    'not',
    'inside',
    'not',
  ])
  expect(found('  ')).toBeNull()
})

test('what is typed is looked for as it is, whatever signs are in it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: anyCharacter }), (words) => {
      const step: ViewStep = { kind: 'error', at: 0, turn: 0, text: `before ${words} after` }
      const pattern = patternOf(words)
      if (pattern !== null) expect(findIn(step, pattern)).toBe('inside')
    }),
  )
})
