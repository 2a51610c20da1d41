import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RunIndex, type IndexedRow } from './run-index.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-index-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const row: IndexedRow = {
  createdAt: 'now',
  endedAt: null,
  state: 'complete',
  fault: null,
  title: 'T',
  tags: [],
  commit: null,
  figures: null,
}
const cell = { suite: 's', case: 'c', subject: 'x', outcomes: 'pf', hash: 'h' }

it('returns a row only for the state of the files that it was made from', () => {
  const file = join(folder, 'a', 'index.sqlite')
  const index = RunIndex.open(file)
  index.put('/run', 'stamp 1', row, [cell])
  expect(index.row('/run', 'stamp 1')).toEqual(row)
  expect(index.row('/run', 'stamp 2')).toBeNull()
  expect(index.row('/other', 'stamp 1')).toBeNull()
  index.put('/run', 'stamp 2', { ...row, title: 'U' }, [{ ...cell, outcomes: 'pp' }])
  const second = RunIndex.open(file)
  expect(second.row('/run', 'stamp 2')).toMatchObject({ title: 'U' })
  expect(second.cellsOf('s', 'c')).toEqual([{ ...cell, outcomes: 'pp', path: '/run' }])
  index.close()
  second.close()
})

it('is thrown away if it is damaged, of another version, or cannot be written', () => {
  const damaged = join(folder, 'damaged.sqlite')
  writeFileSync(
    damaged,
    'this is no database, but it is long enough to be taken for one'.repeat(99),
  )
  const older = join(folder, 'older.sqlite')
  RunIndex.open(older).close()
  const db = new DatabaseSync(older)
  db.exec("UPDATE about SET tool = '0.0.0'; INSERT INTO runs VALUES ('/run', 's', '{}')")
  db.close()
  for (const file of [damaged, older, join(damaged, 'inside-a-file')]) {
    const index = RunIndex.open(file)
    expect(index.row('/run', 's')).toBeNull()
    index.put('/run', 's', row, [])
    expect(index.row('/run', 's')).toEqual(row)
    index.close()
  }
})
