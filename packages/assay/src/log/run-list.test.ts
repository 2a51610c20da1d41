import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addToRunList, readRunList } from './run-list.ts'

let project: string
let list: string

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'assay-list-'))
  list = join(project, '.assay', 'runs.jsonl')
})
afterEach(() => rmSync(project, { recursive: true, force: true }))

const add = (id: string, folder: string = join(project, id)): void =>
  addToRunList(list, { id, folder })
const ids = (): string[] => readRunList(list).map(({ id }) => id)
const text = (): string => readFileSync(list, 'utf8')

/** The child process loads the TypeScript sources too, so that this test needs no build. */
const SOURCES = new URL('../../../../test/resolve-sources.ts', import.meta.url).href

describe('the list of runs', () => {
  it('has the runs in the order they were added, each once', () => {
    expect(ids()).toEqual([])
    for (const id of ['b', 'a', 'b', 'c']) add(id)
    expect(readRunList(list)).toEqual(
      ['b', 'a', 'c'].map((id) => ({ id, folder: join(project, id) })),
    )
  })

  it('keeps a path within the project relative, and any other absolute', () => {
    add('inside', join(project, 'runs', 'one'))
    add('dots', join(project, '..two'))
    add('outside', join(project, '..', 'elsewhere'))
    add('project', project)
    expect(
      text()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { id: 'inside', folder: join('runs', 'one') },
      { id: 'dots', folder: '..two' },
      { id: 'outside', folder: join(project, '..', 'elsewhere') },
      { id: 'project', folder: '.' },
    ])
    expect(readRunList(list).map(({ folder }) => folder)).toEqual([
      join(project, 'runs', 'one'),
      join(project, '..two'),
      join(project, '..', 'elsewhere'),
      project,
    ])
  })

  it('keeps names that no line could hold as they are', () => {
    const folder = join(project, 'two\nlines "and" \u2028 more')
    add('odd', folder)
    add('even')
    expect(readRunList(list)[0]).toEqual({ id: 'odd', folder })
    expect(ids()).toEqual(['odd', 'even'])
  })

  it('passes over whatever is not a run', () => {
    add('first')
    appendFileSync(
      list,
      [
        '',
        'no JSON {',
        'null',
        '5',
        '"text"',
        '[]',
        '{}',
        '{"id":1,"folder":"a"}',
        '{"id":"x","folder":["a"]}',
        '{"id":"x","folder":""}',
        '{"__proto__":{"id":"p","folder":"p"}}',
        '\u0000\u0000\u0000',
        '['.repeat(100_000),
        '{"id":"torn","fol',
      ].join('\n'),
    )
    expect(ids()).toEqual(['first'])
    add('next')
    expect(ids()).toEqual(['first', 'next'])
  })

  it('is read from its end where it is endless', () => {
    add('lost')
    appendFileSync(list, `${JSON.stringify({ filler: 'x'.repeat(1000) })}\n`.repeat(5000))
    add('last')
    expect(ids()).toEqual(['last'])
  })

  it('is neither read nor written through a link', () => {
    const other = join(project, 'precious')
    writeFileSync(other, `${JSON.stringify({ id: 'x', folder: 'x' })}\n`)
    mkdirSync(join(project, '.assay'))
    symlinkSync(other, list)
    expect(ids()).toEqual([])
    expect(() => add('a')).toThrow('is a symbolic link')
    expect(readFileSync(other, 'utf8')).toBe('{"id":"x","folder":"x"}\n')
  })

  it('does not wait for a pipe, and takes nothing else for a list', () => {
    mkdirSync(join(project, '.assay'))
    execFileSync('mkfifo', [list])
    expect(ids()).toEqual([])
    expect(() => add('a')).toThrow('is not an ordinary file')
    rmSync(list)
    mkdirSync(list)
    expect(ids()).toEqual([])
    expect(() => add('a')).toThrow(/EISDIR|ordinary/)
  })

  it('makes the folder that it is in, and says where it cannot', () => {
    add('a')
    expect(statSync(join(project, '.assay')).isDirectory()).toBe(true)
    rmSync(join(project, '.assay'), { recursive: true })
    writeFileSync(join(project, '.assay'), '')
    expect(() => add('b')).toThrow('is not a folder')
    expect(ids()).toEqual([])
    expect(existsSync(list)).toBe(false)
  })

  it('loses no run of processes that add at the same time', async () => {
    const script = `
      import { addToRunList } from ${JSON.stringify(join(import.meta.dirname, 'run-list.ts'))}
      for (let i = 0; i < 50; i++)
        addToRunList(process.argv[1], { id: process.argv[2] + '-' + i, folder: 'x'.repeat(i) + 'r' })`
    const children = ['a', 'b', 'c', 'd'].map((name) =>
      spawn(
        process.execPath,
        ['--import', SOURCES, '--input-type=module-typescript', '-e', script, list, name],
        { stdio: 'inherit' },
      ),
    )
    for (const [code] of await Promise.all(children.map((child) => once(child, 'close'))))
      expect(code).toBe(0)
    expect(new Set(ids()).size).toBe(200)
    // A process that sees the line of another one before it is complete adds an empty line, which readers skip.
    const lines = text().split('\n')
    expect(lines.filter((line) => line !== '').length).toBe(200)
  })
})
