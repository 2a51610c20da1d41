import { expect, it } from 'vitest'
import type { CaseEntry } from '../data/workbench-source.ts'
import { standingOf } from './failing-since.ts'

const entries = (...outcomes: readonly string[]): CaseEntry[] =>
  outcomes.map((letters, i) => ({
    run: {
      key: String(i),
      folder: '',
      title: '',
      createdAt: null,
      state: 'complete',
      commit: null,
    },
    subject: 'x',
    outcomes: letters,
    hash: '',
  }))
const keys = (...outcomes: readonly string[]) => {
  const standing = standingOf(entries(...outcomes))
  return standing.kind === 'unscored'
    ? [standing.kind]
    : [standing.kind, standing.since.run.key, standing.before?.run.key ?? null]
}

it('a case fails since the first run after the last one in which every trial passed', () => {
  expect(keys('pp', 'pp', 'pf', 'ff')).toEqual(['fails', '2', '1'])
  expect(keys('ff', 'pp', 'fp')).toEqual(['fails', '2', '1'])
  expect(keys('ff', 'pf')).toEqual(['fails', '0', null])
  expect(keys('ff', 'pp', 'pp')).toEqual(['passes', '1', '0'])
  expect(keys('pp')).toEqual(['passes', '0', null])
})

it('runs without a scored trial say nothing', () => {
  expect(keys()).toEqual(['unscored'])
  expect(keys('ee', 'cc', 'u')).toEqual(['unscored'])
  expect(keys('pp', 'ff', 'ee')).toEqual(['fails', '1', '0'])
  expect(keys('pp', 'ee', 'pf')).toEqual(['fails', '2', '0'])
})
