import { expect, it } from 'vitest'
import { spentText } from './spent-words.ts'

it('says that the money spent is not known where prices are not', () => {
  expect(spentText({ spentUsd: 0, unpriced: 0 })).toBe('$0')
  expect(spentText({ spentUsd: 1.2, unpriced: 0 })).toBe('$1.20')
  expect(spentText({ spentUsd: 1.2, unpriced: 3 })).toBe('at least $1.20')
  expect(spentText({ spentUsd: 0, unpriced: 3 })).toBe('unknown')
})
