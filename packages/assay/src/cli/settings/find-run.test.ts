import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addToRunList } from '../../log/index.ts'
import { findRun, findRunToChange, isElsewhere, knownRuns, type RunSources } from './find-run.ts'

let project: string
let sources: RunSources

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'assay-find-'))
  sources = {
    folders: [join(project, '.assay', 'runs')],
    list: join(project, '.assay', 'runs.jsonl'),
  }
})
afterEach(() => rmSync(project, { recursive: true, force: true }))

/** Makes a run folder with only the files that are needed to find it. */
function makeRun(path: string, createdAt: string, id: string = path): string {
  const folder = join(project, path)
  mkdirSync(folder, { recursive: true })
  const tool = { version: '0', node: 'v24', platform: 'linux-x64' }
  const head = { assay: 'run', version: 1, id, createdAt, tool, seed: 1 }
  const record = { ...head, revisions: [], ended: null }
  writeFileSync(join(folder, 'run.json'), JSON.stringify(record, null, 2))
  return folder
}

function listed(path: string, createdAt: string, id: string = path): string {
  const folder = makeRun(path, createdAt, id)
  addToRunList(sources.list, { id, folder })
  return folder
}

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const known = (): string[] => knownRuns(sources).folders.map((folder) => basename(folder))
const found = (name: string): string => basename(findRun(name, sources).folder)

describe('the runs of a project', () => {
  it('are those in its list and those in its runs folder, by when they were started', () => {
    listed('elsewhere/c', at(3))
    makeRun('.assay/runs/b', at(2))
    listed('a', at(1))
    listed('.assay/runs/d', at(4))
    expect(known()).toEqual(['a', 'b', 'c', 'd'])
    expect(findRun('latest', sources)).toEqual({
      folder: join(project, '.assay/runs/d'),
      alias: 'latest',
    })
  })

  it('are in the order of the list where they were started in the same millisecond', () => {
    for (const name of ['z', 'a', 'm']) listed(name, at(1))
    expect(known()).toEqual(['z', 'a', 'm'])
    for (const name of ['t-s-10', 't-s', 't-s-2']) makeRun(`.assay/runs/${name}`, at(2))
    expect(known().slice(3)).toEqual(['t-s', 't-s-2', 't-s-10'])
  })

  it('do not have a folder that is gone, moved away or holds another run by now', () => {
    listed('old', at(1))
    const gone = listed('gone', at(2))
    const moved = listed('moved', at(3))
    listed('reused', at(4), 'first')
    rmSync(gone, { recursive: true })
    renameSync(moved, join(project, 'moved-away'))
    makeRun('reused', at(5), 'of another project')
    expect(known()).toEqual(['old'])
    // The moved run is still found by its folder. When it is resumed, it is added to the list again.
    expect(findRun(join(project, 'moved-away'), sources).alias).toBeNull()
    addToRunList(sources.list, { id: 'moved', folder: join(project, 'moved-away') })
    expect(known()).toEqual(['old', 'moved-away'])
  })

  it('are those of the runs folder where the list is missing or damaged', () => {
    makeRun('.assay/runs/a', at(1))
    listed('.assay/runs/b', at(2))
    for (const damage of ['', 'damaged', '{"id":"b"', '\u0000'.repeat(1000), '5\nnull\n']) {
      writeFileSync(sources.list, damage)
      expect(known()).toEqual(['a', 'b'])
    }
    rmSync(sources.list)
    expect(known()).toEqual(['a', 'b'])
  })

  it('are none where there is nothing', () => {
    expect(known()).toEqual([])
    expect(() => findRun('latest', sources)).toThrow(/there is no run under .*runs yet/)
  })

  it('are not those of another project, also where both keep them in one folder', () => {
    const other = {
      folders: [join(project, 'b', 'runs')],
      list: join(project, 'b', '.assay', 'runs.jsonl'),
    } as const
    mkdirSync(join(project, 'b'))
    listed('shared/a', at(1))
    addToRunList(other.list, { id: 'shared/b', folder: makeRun('shared/b', at(2)) })
    expect(known()).toEqual(['a'])
    expect(knownRuns(other).folders.map((folder) => basename(folder))).toEqual(['b'])
  })

  it('count from where their record is written again by another program', () => {
    const folder = listed('sorted', at(1))
    listed('plain', at(2))
    const record = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as object
    const backwards = Object.fromEntries(Object.entries(record).toReversed())
    writeFileSync(join(folder, 'run.json'), JSON.stringify(backwards))
    expect(known()).toEqual(['sorted', 'plain'])
  })

  it('have one whose record is damaged: the command that reads it says so', () => {
    listed('old', at(1))
    writeFileSync(join(listed('new', at(2)), 'run.json'), '{"assay":')
    expect(found('latest')).toBe('new')
  })
})

describe('a hostile list', () => {
  it('leads to nothing but run folders', () => {
    listed('good', at(1))
    const secret = join(project, 'secret')
    mkdirSync(secret)
    writeFileSync(join(secret, 'run.txt'), 'not a run')
    mkdirSync(join(project, 'odd', 'run.json'), { recursive: true })
    mkdirSync(join(project, 'pipe'))
    execFileSync('mkfifo', [join(project, 'pipe', 'run.json')])
    mkdirSync(join(project, 'loop'))
    symlinkSync('run.json', join(project, 'loop', 'run.json'))
    const folders = [
      secret,
      'odd',
      'pipe',
      'loop',
      '/dev',
      '/proc/self',
      '/etc/passwd',
      'a\u0000b',
      '../..',
      'x'.repeat(5000),
    ]
    const lines = folders.map((folder) => `${JSON.stringify({ id: 'x', folder })}\n`)
    writeFileSync(
      sources.list,
      `${lines.join('')}${JSON.stringify({ id: 'good', folder: 'good' })}\n`,
    )
    expect(known()).toEqual(['good'])
  })
})

// Related: `--resume`, `runs tag`, `runs delete`, `runs prune` and the pages change the run that is found; show, report, compare and bless print it; `replay` sends
// its answers.
describe('a run outside of the repository', () => {
  let own: RunSources
  beforeEach(() => {
    const repository = join(project, 'repository')
    mkdirSync(join(repository, '.git'), { recursive: true })
    mkdirSync(join(repository, '.assay', 'runs'), { recursive: true })
    own = {
      folders: [join(repository, '.assay', 'runs')],
      list: join(repository, '.assay', 'runs.jsonl'),
    }
  })

  it('is not found through a link among the runs, and this is said', () => {
    const link = join(own.folders[0], 'zzz')
    symlinkSync(makeRun('private/run', at(9)), link)
    expect(() => findRun('latest', own)).toThrow(`because outside of the repository: ${link}`)
    makeRun('repository/.assay/runs/a', at(1))
    expect(findRun('latest', own)).toEqual({
      ...{ folder: join(own.folders[0], 'a'), alias: 'latest', passedOver: [link] },
    })
    expect(() => findRun('zz', own)).toThrow('"zz" is not a run folder')
  })

  it('is not found in a runs folder that leads out, unless the user trusts the folder with that', () => {
    rmSync(own.folders[0], { recursive: true })
    makeRun('private/run', at(9))
    symlinkSync(join(project, 'private'), own.folders[0])
    expect(knownRuns(own)).toEqual({ folders: [], passedOver: [own.folders[0]] })
    const output: RunSources = { ...own, folders: [join(project, 'private')] }
    expect(knownRuns(output).folders).toEqual([])
    const trusted = { ...output, trusted: output.folders }
    expect(knownRuns(trusted).folders).toEqual([join(project, 'private/run')])
  })

  it('is changed only where the user names its folder or trusts the project with the folder around it', () => {
    const mine = makeRun('private/run', at(1), 'known')
    addToRunList(own.list, { id: 'known', folder: mine })
    for (const name of ['latest', 'run', 'ru'])
      expect(() => findRunToChange(name, own)).toThrow('outside of this repository')
    expect(findRunToChange(mine, own)).toEqual({ folder: mine, alias: null })
    expect(findRunToChange('latest', { ...own, trusted: [join(project, 'private')] }).folder).toBe(
      mine,
    )
    makeRun('repository/.assay/runs/inside', at(2))
    expect(findRunToChange('latest', own).folder).toBe(join(own.folders[0], 'inside'))
    expect(knownRuns(own).folders.map((folder) => isElsewhere(folder, own))).toEqual([true, false])
  })

  it('is found by a list that has its id, and not by one that cannot be checked', () => {
    const mine = makeRun('mine', at(1), 'known')
    const odd = makeRun('odd', at(2))
    writeFileSync(join(odd, 'run.json'), 'secret words')
    addToRunList(own.list, { id: 'guess', folder: makeRun('private/run', at(9)) })
    addToRunList(own.list, { id: 'guess', folder: odd })
    addToRunList(own.list, { id: 'known', folder: mine })
    expect(knownRuns(own)).toEqual({ folders: [mine], passedOver: [odd] })
  })
})

describe('the name of a run', () => {
  it('latest is not a folder of that name', () => {
    makeRun('latest', at(9), 'forged')
    listed('mine', at(1))
    const before = process.cwd()
    process.chdir(project)
    try {
      expect(found('latest')).toBe('mine')
      expect(findRun('./latest', sources).alias).toBeNull()
    } finally {
      process.chdir(before)
    }
  })

  it('is its folder, the whole name, or a start that no other has', () => {
    listed('x/nightly', at(1))
    listed('y/nightly-2', at(2))
    listed('y/other', at(3))
    expect(findRun(join(project, 'x/nightly'), sources)).toEqual({
      folder: join(project, 'x/nightly'),
      alias: null,
    })
    expect(findRun('oth', sources)).toEqual({ folder: join(project, 'y/other'), alias: 'oth' })
    expect(found('nightly')).toBe('nightly')
    expect(found('nightly-')).toBe('nightly-2')
    expect(() => findRun('night', sources)).toThrow('"night" is the start of 2 runs')
    expect(() => findRun('nobody', sources)).toThrow('"nobody" is not a run folder')
    expect(() => findRun('', sources)).toThrow('an empty name is not a run')
    const lost = join(project, 'x/lost')
    mkdirSync(lost)
    expect(() => findRun(lost, sources)).toThrow(`${lost} is not a run folder: it has no run.json`)
    writeFileSync(join(lost, 'trials.jsonl'), '')
    expect(() => findRun(lost, sources)).toThrow('although it has trials.jsonl. Take the file from')
  })

  it('does not decide between two folders of the same name', () => {
    listed('x/r', at(1))
    listed('y/r', at(2))
    expect(() => findRun('r', sources)).toThrow('"r" is the start of 2 runs')
  })
})
