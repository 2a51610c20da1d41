import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { deleteRun } from './delete-run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-delete-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('deletes a run, also one whose record is damaged', () => {
  writeFileSync(join(folder, 'run.json'), '{\n  "assay": "run",\n  "versi')
  deleteRun(folder)
  expect(existsSync(folder)).toBe(false)
})

it.each(['{"name":"my project"}', '', '[]', '{"x":{"assay":"run"}}'])(
  'does not delete the folder of another program, whose run.json is %j',
  (text) => {
    writeFileSync(join(folder, 'run.json'), text)
    expect(() => deleteRun(folder)).toThrow(/has a run.json that Assay did not write/)
    expect(existsSync(folder)).toBe(true)
  },
)

const RECORD = '{"assay":"run"}'

it.each(['.git', 'src', 'notes.md', 'run.ts', '.assay', 'cases', 'lock.ts'])(
  'does not delete a folder that has %s next to the record, which anybody can put there',
  (name) => {
    writeFileSync(join(folder, 'run.json'), RECORD)
    mkdirSync(join(folder, name))
    expect(() => deleteRun(folder)).toThrow(`has more than a run in it, such as ${name}`)
    expect(existsSync(folder)).toBe(true)
  },
)

it('does not take a folder for one of .assay/runs because a link leads to it', () => {
  const clone = join(folder, 'clone')
  mkdirSync(join(clone, '.git'), { recursive: true })
  mkdirSync(join(clone, 'a', '.assay'), { recursive: true })
  writeFileSync(join(clone, 'run.json'), RECORD)
  symlinkSync('../../..', join(clone, 'a', '.assay', 'runs'))
  const named = join(clone, 'a', '.assay', 'runs', 'clone')
  expect(() => deleteRun(named)).toThrow('has more than a run in it')
  expect(existsSync(join(clone, '.git'))).toBe(true)
})

it('deletes a run with all its parts and reports, and anything in .assay/runs', () => {
  const parts = ['blobs', 'workspaces', 'lock', 'heartbeat', 'trials.jsonl', 'pending.jsonl']
  const more = [
    'tags.json',
    'labels.jsonl',
    'trials.index',
    'tags.json.12.tmp',
    'lock.a-1.claim',
    'report.html',
  ]
  const runs = join(folder, '.assay', 'runs', 'one')
  mkdirSync(runs, { recursive: true })
  writeFileSync(join(runs, 'mine.html'), '')
  const one = join(folder, 'one')
  mkdirSync(one)
  for (const name of [...parts, ...more]) writeFileSync(join(one, name), '')
  rmSync(join(one, 'lock'))
  for (const run of [runs, one]) {
    writeFileSync(join(run, 'run.json'), RECORD)
    deleteRun(run)
    expect(existsSync(run)).toBe(false)
  }
})

it('does not follow a link in place of the record', () => {
  writeFileSync(join(folder, 'record'), RECORD)
  symlinkSync('record', join(folder, 'run.json'))
  expect(() => deleteRun(folder)).toThrow('is a symbolic link')
})
