import { expect, it } from 'vitest'
import type { ViewChange, ViewTrial } from '../data/source.ts'
import { changedFiles, longestMs } from './changed-files.ts'

const change = (path: string, patch: string): ViewChange => ({
  ...{ path, change: 'changed', lines: { added: 1, removed: 1 }, notes: [], patch },
})
const trial = (changes: ViewChange[], ms = 10): ViewTrial =>
  ({ diff: { changes, changesLeftOut: 0 }, trajectory: { ms } }) as unknown as ViewTrial

it('puts the changes of one file next to each other, and says where they are the same', () => {
  const a = trial([change('b.ts', '+1'), change('a.ts', '+1')])
  const b = trial([change('b.ts', '+1'), change('c.ts', '+2')])
  const c = trial([change('b.ts', '+1')])
  const files = changedFiles([a, b, c])
  expect(files.map(({ path, changes }) => [path, changes.map((one) => one !== null)])).toEqual([
    ['a.ts', [true, false, false]],
    ['b.ts', [true, true, true]],
    ['c.ts', [false, true, false]],
  ])
  expect(files.map(({ isSame }) => isSame)).toEqual([false, true, false])
  expect(changedFiles([trial([change('a', '+1')]), trial([change('a', '+2')])])[0]?.isSame).toBe(
    false,
  )
})

it('trials without changes, without a known diff and without texts have none', () => {
  const missing = { diff: { missing: 'gone' }, trajectory: { missing: 'gone' } }
  const trials = [null, {} as ViewTrial, missing as unknown as ViewTrial, trial([], 900)]
  expect(changedFiles(trials)).toEqual([])
  expect(longestMs(trials)).toBe(900)
  expect(longestMs([null])).toBe(1)
})
