import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pico from 'picocolors'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeSubject, fakeSuite, saying } from '../../../../test/fakes.ts'
import type { RunRow } from '../../../report/view-data/index.ts'
import { addToRunList, readRunHead } from '../../../log/index.ts'
import { run } from '../../../run/index.ts'
import { deleteRuns, listRuns, pruneRuns, tagRun } from './runs.ts'

let root: string
const before = process.cwd()
const { XDG_CACHE_HOME } = process.env

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-runs-'))
  process.chdir(root)
  process.env['XDG_CACHE_HOME'] = join(root, 'cache')
  for (const name of ['one', 'two', 'three'])
    await run({
      suites: [fakeSuite(2, { id: `suite-${name}`, name: '' })],
      subjects: [fakeSubject(() => saying('right'))],
      folder: join('.assay', 'runs', name),
    })
})
afterAll(() => {
  process.chdir(before)
  if (XDG_CACHE_HOME === undefined) delete process.env['XDG_CACHE_HOME']
  else process.env['XDG_CACHE_HOME'] = XDG_CACHE_HOME
  rmSync(root, { recursive: true, force: true })
})

function taking() {
  let text = ''
  const output = {
    out: (more: string) => void (text += more),
    err: (more: string) => void (text += more),
    isTerminal: false,
    ready: () => null,
    outIsTerminal: false,
    width: 80,
    colors: pico.createColors(false),
  }
  return { output, text: () => text }
}

const listed = async (...words: readonly string[]): Promise<string[]> => {
  const { output, text } = taking()
  await listRuns({ words, json: true }, output)
  return (JSON.parse(text()) as RunRow[]).map(({ title }) => title)
}
const folder = (name: string): string => join('.assay', 'runs', name)

it('lists the newest first, and finds by words of suite, subject, state and tag', async () => {
  expect(await listed()).toEqual(['suite-three', 'suite-two', 'suite-one'])
  expect(await listed('COMPLETE', 'two')).toEqual(['suite-two'])
  expect(await listed('nothing')).toEqual([])
  const { output, text } = taking()
  await listRuns({ words: ['one'] }, output)
  expect(text()).toMatch(/^one +complete +100% +2 /m)
})

it('tags a run without a change to its record', async () => {
  const record = readFileSync(join(folder('one'), 'run.json'))
  const { output, text } = taking()
  await tagRun({ run: 'one', tags: ['v1.2', 'keep'] }, output)
  expect(text()).toContain('has the tags keep, v1.2')
  expect(await listed('v1.2')).toEqual(['suite-one'])
  await tagRun({ run: 'one', tags: ['v1.2'], remove: true }, output)
  expect(await listed('v1.2')).toEqual([])
  expect(readFileSync(join(folder('one'), 'run.json'))).toEqual(record)
  await expect(tagRun({ run: 'one', tags: ['a b'] }, output)).rejects.toThrow('"a b" is not a tag')
})

it('shows what it would delete, and deletes only what was agreed to', async () => {
  const { output, text } = taking()
  await deleteRuns({ runs: ['two'] }, output)
  expect(text()).toContain('nothing is deleted yet')
  expect(existsSync(folder('two'))).toBe(true)
  await deleteRuns({ runs: ['two'], yes: true }, output)
  expect(existsSync(folder('two'))).toBe(false)
})

it('prunes by age, state and size, and keeps tagged runs', async () => {
  const { output, text } = taking()
  const tomorrow = Date.now() + 2 * 86_400_000
  const yes = true
  await pruneRuns({ older: '1d', yes }, output)
  await pruneRuns({ older: '1d', state: ['failed'], yes }, output, tomorrow)
  await pruneRuns({ larger: '1GB', yes }, output, tomorrow)
  expect(text().match(/no run meets/g)).toHaveLength(3)
  await pruneRuns(
    { older: '1d', state: ['complete'], larger: '1b', keepTagged: true, yes },
    output,
    tomorrow,
  )
  expect([existsSync(folder('one')), existsSync(folder('three'))]).toEqual([true, false])
  await expect(pruneRuns({}, output)).rejects.toThrow('say which runs')
  await expect(pruneRuns({ older: 'x' }, output)).rejects.toThrow('30d')
  await expect(pruneRuns({ larger: '5' }, output)).rejects.toThrow('100MB')
  await expect(pruneRuns({ state: ['done'] }, output)).rejects.toThrow('expected one of')
})

it('changes a run that only the list of the project leads to if the user names its folder, not otherwise', async () => {
  const { output, text } = taking()
  const elsewhere = mkdtempSync(join(tmpdir(), 'assay-elsewhere-'))
  try {
    const theirs = join(elsewhere, 'theirs')
    await run({
      suites: [fakeSuite(1)],
      subjects: [fakeSubject(() => saying('right'))],
      folder: theirs,
    })
    addToRunList(join('.assay', 'runs.jsonl'), {
      id: readRunHead(theirs)?.id ?? '',
      folder: resolve(theirs),
    })
    await expect(tagRun({ run: 'theirs', tags: ['x'] }, output)).rejects.toThrow('outside of this')
    await expect(deleteRuns({ runs: ['latest'], yes: true }, output)).rejects.toThrow('name its')
    await pruneRuns({ larger: '1b', keepTagged: true, yes: true }, output)
    expect(text()).toContain(`left out, because outside of this repository: ${theirs}`)
    expect(existsSync(theirs)).toBe(true)
    await deleteRuns({ runs: [theirs], yes: true }, output)
    expect(existsSync(theirs)).toBe(false)
  } finally {
    rmSync(elsewhere, { recursive: true, force: true })
  }
})

it('names the command that a misspelt one is near to, if no run has the word', async () => {
  const { output, text } = taking()
  expect(await listRuns({ words: ['lst'] }, output)).toBe(0)
  expect(text()).toBe('no run has the word "lst"; if you meant a command, it is assay runs list\n')
})
