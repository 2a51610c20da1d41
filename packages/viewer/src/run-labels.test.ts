import { expect, it } from 'vitest'
import { folderNames, runLabels } from './run-labels.ts'

const run = (folder: string, change: { commit?: string; title?: string } = {}) => ({
  ...{ key: folder, folder, title: 'Support', commit: null },
  createdAt: '2026-11-18T08:04:11Z',
  ...change,
})

it('runs of one minute have different names', () => {
  const runs = [run('runs/a'), run('runs/b', { commit: '6746337f9d0123456789' })]
  expect([...runLabels(runs).values()]).toEqual([
    'a · Support · 2026-11-18 08:04 UTC',
    'b · Support · 2026-11-18 08:04 UTC · commit 6746337f9d',
  ])
})

it('a run is named by its whole folder if the last part of it is not enough', () => {
  const names = folderNames([run('one/run'), run('two/run'), run('two/other')])
  expect([...names.values()]).toEqual(['one/run', 'two/run', 'other'])
})
