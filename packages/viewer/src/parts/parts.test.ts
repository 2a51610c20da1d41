/** What the parts of the pages are made from, without a browser. */
import { expect, it } from 'vitest'
import type { ViewSubject } from '../data/source.ts'
import type { RunRow } from '../data/workbench-source.ts'
import { chosenRuns } from '../pages/compare.tsx'
import { columnsFor } from '../pages/matrix.tsx'
import { routeOf, trialsHash, type MatrixState } from '../pages/routes.ts'
import { filterRuns } from '../pages/runs.tsx'
import { figureCells } from '../pictures/chart-data.ts'
import { cutAtEnd } from '../pictures/plot-style.ts'
import { colored, letterOf } from '../pictures/subject-colors.ts'
import { hasFigures } from './plain-table.tsx'
import { priceRows } from './provenance.tsx'

const run = (key: string, change: Partial<RunRow> = {}): RunRow => ({
  ...{ key, folder: `runs/${key}`, createdAt: null, endedAt: null, state: 'complete' },
  ...{ fault: null, title: 'Suite', tags: [], commit: null, figures: null },
  ...change,
})

it('compares the newest run with the one before it of the same title', () => {
  const runs = [run('c'), run('b', { title: 'Other' }), run('x', { state: 'unreadable' }), run('a')]
  const keys = (a: string | null, b: string | null) => {
    const chosen = chosenRuns(runs, { a, b })
    return [chosen.a?.key, chosen.b?.key]
  }
  expect(keys(null, null)).toEqual(['a', 'c'])
  expect(keys(null, 'b')).toEqual(['a', 'b'])
  expect(keys('c', null)).toEqual(['c', 'b'])
  expect(keys('gone', 'x')).toEqual([undefined, undefined])
})

it('finds runs by words of their names, subjects, tags and commits', () => {
  const runs = [run('one', { tags: ['Nightly'], commit: 'abc123' }), run('two')]
  const found = (words: string) => filterRuns(runs, words, 'all').map(({ key }) => key)
  expect(found('nightly')).toEqual(['one'])
  expect(found('ABC1 suite')).toEqual(['one'])
  expect(found('suite')).toEqual(['one', 'two'])
  expect(filterRuns(runs, '', 'running')).toEqual([])
})

it('shows the first subjects of the newest run in the matrix', () => {
  const state: MatrixState = {
    ...{ run: null, columns: [], suite: null, case: null, only: 'all', index: 0, from: 0, base: 0 },
  }
  expect(columnsFor([run('one')], state)).toEqual([])
  const columns = [{ run: 'r', subject: 's' }]
  expect(columnsFor([], { ...state, columns })).toEqual(columns)
})

it('the address of a table of trials leads back to what it shows', () => {
  const state = {
    ...{ suite: 'a/b', subject: 'x y', outcome: 'f', words: '#&=', order: 'cost' as const },
    ...{ isDescending: true, from: 50 },
  }
  expect(routeOf(trialsHash('run', state))).toEqual({ page: 'trials', run: 'run', state })
  expect(trialsHash('run')).toBe('#/runs/run/trials')
})

it('writes short names in charts, and letters for long ones, which are never cut in the middle', () => {
  const rows = (...names: string[]) =>
    colored(names.map((subject) => ({ subject }) as ViewSubject)).map(({ label }) => label)
  expect(rows('gpt', 'llama')).toEqual(['gpt', 'llama'])
  expect(rows('gpt', 'model × prompts/long.md')).toEqual(['A', 'B'])
  expect([0, 25, 26, 27, 702].map(letterOf)).toEqual(['A', 'Z', 'AA', 'AB', 'AAA'])
  expect(new Set(Array.from({ length: 2000 }, (_, i) => letterOf(i))).size).toBe(2000)
  expect(cutAtEnd('abcdef', 6)).toBe('abcdef')
  expect(cutAtEnd('abcdefg', 6)).toBe('abcde…')
})

it('leaves out a table that has only names and dashes', () => {
  expect(hasFigures([['a', '–', '']])).toBe(false)
  expect(hasFigures([])).toBe(false)
  expect(
    hasFigures([
      ['a', '–'],
      ['b', '0'],
    ]),
  ).toBe(true)
})

it('a figure of a chart has its interval', () => {
  const write = (value: number): string => value.toFixed(1)
  expect(figureCells(undefined, write)).toEqual(['–', '–'])
  const interval = { low: 0.1, high: 0.9, level: 0.95, method: 'm', target: 'fixed' as const }
  expect(figureCells({ value: 0.5, n: 3, interval }, write)).toEqual(['0.5', '0.1–0.9'])
})

it('shows where prices come from as a table, and other texts as they are', () => {
  const catalogue = { name: 'prices', version: '1.2.3' }
  expect(priceRows(JSON.stringify({ catalogue, file: null }))).toEqual([
    ['catalogue', 'prices', '1.2.3'],
  ])
  const file = { path: 'own.toml', sha256: 'a'.repeat(64) }
  expect(priceRows(JSON.stringify({ catalogue, file }))?.[0]).toEqual([
    ...['price file', 'own.toml'],
    'a'.repeat(12),
  ])
  for (const odd of [null, '', 'text', '{}', '[]', '{"catalogue":{"name":1}}'])
    expect(priceRows(odd)).toBeNull()
})
