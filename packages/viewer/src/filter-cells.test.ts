import { expect, test } from 'vitest'
import type { ViewCase, ViewCell } from './data/source.ts'
import { filterCells, type CellFilter } from './filter-cells.ts'

const cell = (one: string, subject: string, outcomes: string): ViewCell => {
  const n = outcomes.replaceAll(/[^pf]/g, '').length
  const c = outcomes.replaceAll(/[^p]/g, '').length
  return {
    suite: 's',
    case: one,
    subject,
    outcomes,
    n,
    c,
    interval: null,
    meanScore: null,
    flaky: c > 0 && c < n,
    flakinessPercent: null,
    failedGraders: c < n ? [{ name: 'code', failed: n - c, of: n }] : [],
    reasons: outcomes.includes('e') ? [{ outcome: 'errored', code: 'rate-limited', count: 1 }] : [],
  }
}

const CELLS = [
  cell('slugify', 'a', 'ppp'),
  cell('slugify', 'b', 'pfp'),
  cell('parse', 'a', 'fff'),
  cell('parse', 'b', 'pep'),
  cell('late', 'a', 'ccu'),
]
const CASES = new Map<string, ViewCase>([
  [
    'parse',
    {
      suite: 's',
      case: 'parse',
      name: 'Parse a date',
      turns: [],
      tags: ['hard'],
      language: null,
      reference: null,
    },
  ],
])

const shown = (filter: Partial<CellFilter>): string[] =>
  filterCells(CELLS, CASES, { subject: null, kind: 'all', words: '', ...filter }).map(
    (one) => `${one.case} ${one.subject}`,
  )

test('each kind keeps the cells it names', () => {
  expect(shown({})).toHaveLength(5)
  expect(shown({ kind: 'faults' })).toEqual(['slugify b', 'parse a', 'parse b'])
  expect(shown({ kind: 'flaky' })).toEqual(['slugify b'])
  expect(shown({ kind: 'never' })).toEqual(['parse a'])
  expect(shown({ kind: 'errored' })).toEqual(['parse b'])
  expect(shown({ kind: 'rest' })).toEqual(['late a'])
})

test('words look into names, tags, graders and reasons, all of them wanted', () => {
  expect(shown({ words: 'DATE hard' })).toEqual(['parse a', 'parse b'])
  expect(shown({ words: 'rate-limited' })).toEqual(['parse b'])
  expect(shown({ words: 'slug code' })).toEqual(['slugify b'])
  expect(shown({ words: 'slug', subject: 'a' })).toEqual(['slugify a'])
})
