/**
 * Tests an untrusted run folder that contains links, pipes and devices. The tests cover report and show
 * (`Blobs.readSync`, `readTrials`, `readRecord`, `readRunHead`), replay and regrade (`Blobs.read`), and resume
 * (`RunFolder.resume`, `Lock`, `LineFile`). They also cover files that the user names: the price file, the two
 * inputs of a comparison, the input of `analyze`, and the baseline that `bless` replaces. If an implementation
 * blocks on a pipe, its test fails by its time limit. Other files test the list of runs (run-list.test.ts),
 * recorded answers (subject/replay/replay.test.ts), the answer cache (run/run.test.ts) and `analyze`
 * (read-results.test.ts).
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '@assay/contract'
import { Blobs } from './blobs.ts'
import { LineFile } from './line-file.ts'
import { isLocked } from './lock/lock.ts'
import { openNamed, readBytes, readNamed } from './own-file.ts'
import { addToRunList, readRunList } from './run-list.ts'
import { RunFolder } from './run-folder.ts'
import { readRecord, readRunHead, type RunRecord } from './run-record.ts'
import { readTrials } from './trial-lines.ts'

const SECRET = 'the user’s own words\n'
const record: RunRecord = {
  assay: 'run',
  version: 1,
  id: 'r1',
  createdAt: '2026-01-01T00:00:00.000Z',
  tool: { version: '0', node: 'v24', platform: 'linux-x64' },
  seed: 1,
  revisions: [],
  ended: null,
}

let home: string
let run: string
let precious: string

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'assay-own-'))
  run = join(home, 'run')
  precious = join(home, 'precious')
  writeFileSync(precious, SECRET)
  await RunFolder.create(run, record, []).close(false)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const link = (target: string, name: string): void => {
  rmSync(join(run, name), { force: true, recursive: true })
  symlinkSync(target, join(run, name))
}
const pipe = (path: string): void => {
  rmSync(path, { force: true })
  execFileSync('mkfifo', [path])
}
const resume = () => RunFolder.resume(run, [], { trial: () => {}, pending: () => true })

describe('resuming a run', () => {
  it.each([
    'run.json',
    'lock',
    'heartbeat',
    'trials.jsonl',
    'pending.jsonl',
    'blobs',
    'workspaces',
  ])('refuses a link for %s, and changes nothing', async (name) => {
    const isFolder = name === 'blobs' || name === 'workspaces'
    for (const target of [isFolder ? home : precious, join(home, 'none'), '/dev/zero']) {
      link(target, name)
      const before = readdirSync(run)
      await expect(resume()).rejects.toThrow(UsageError)
      await expect(resume()).rejects.toThrow(`${name} is a symbolic link`)
      expect(readdirSync(run)).toEqual(before)
      expect(lstatSync(join(run, name)).isSymbolicLink()).toBe(true)
      expect(existsSync(join(home, 'none'))).toBe(false)
    }
    expect(readFileSync(precious, 'utf8')).toBe(SECRET)
  })

  it.each(['run.json', 'lock', 'trials.jsonl', 'pending.jsonl'])(
    'refuses a pipe for %s',
    async (name) => {
      pipe(join(run, name))
      await expect(resume()).rejects.toThrow(`${name} is not an ordinary file`)
    },
  )

  it('goes on where the run folder itself is reached through a link', async () => {
    symlinkSync(run, join(home, 'latest'))
    run = join(home, 'latest')
    const { folder } = await resume()
    const text = await folder.blobs.store('x')
    expect(await folder.blobs.read(text)).toBe('x')
    await folder.close(false)
  })

  it('opens no line file through a link or a pipe', () => {
    link(precious, 'lines')
    expect(() => LineFile.open(join(run, 'lines'), 0)).toThrow('is a symbolic link')
    expect(() => LineFile.open(join(run, 'lines'), 1)).toThrow('is a symbolic link')
    expect(readFileSync(precious, 'utf8')).toBe(SECRET)
    pipe(join(run, 'lines'))
    expect(() => LineFile.open(join(run, 'lines'), 0)).toThrow('is not an ordinary file')
  })
})

describe('reading a run', () => {
  it('follows no link and waits for no pipe', async () => {
    for (const spoil of [
      (name: string) => link('/dev/zero', name),
      (n: string) => pipe(join(run, n)),
    ]) {
      spoil('lock')
      expect(isLocked(run)).toBe(false)
      spoil('trials.jsonl')
      await expect(readTrials(run, () => {})).rejects.toThrow(UsageError)
      spoil('run.json')
      expect(readRunHead(run)).toBeNull()
      expect(() => readRecord(run)).toThrow(UsageError)
    }
  })

  it('writes the record beside whatever lies in the place of its temporary file', async () => {
    const { folder } = await resume()
    link(precious, `run.json.${process.pid}.tmp`)
    folder.update({ ended: null })
    await folder.close(false)
    expect(readFileSync(precious, 'utf8')).toBe(SECRET)
    expect(readRecord(run).id).toBe('r1')
  })
})

describe('a stored text', () => {
  const reference = {
    blob: createHash('sha256').update(SECRET).digest('hex'),
    bytes: Buffer.byteLength(SECRET),
  }
  const at = (): string => join(run, 'blobs', reference.blob.slice(0, 2), reference.blob.slice(2))
  /** The error message of each way of reading. */
  const said = async (): Promise<string> => {
    const blobs = new Blobs(join(run, 'blobs'))
    const ways = [
      () => blobs.read(reference),
      () => blobs.readSync(reference),
      () => blobs.readSync(reference, 3),
    ]
    const all = await Promise.all(
      ways.map(async (way) => {
        try {
          return await way()
        } catch (error) {
          return (error as Error).message
        }
      }),
    )
    return new Set(all).size === 1 ? (all[0] as string) : all.join('; ')
  }

  beforeEach(() => {
    mkdirSync(dirname(at()), { recursive: true })
  })

  it('is not a link, pipe or device, even where the content is right', async () => {
    for (const target of [precious, '/dev/zero', '/proc/self/environ']) {
      rmSync(at(), { force: true })
      symlinkSync(target, at())
      expect(await said()).toContain('is a symbolic link')
    }
    pipe(at())
    expect(await said()).toContain('is not an ordinary file')
  })

  it('is in no linked folder, and is stored in none', async () => {
    writeFileSync(at(), SECRET)
    renameSync(dirname(at()), join(home, 'ab'))
    symlinkSync(join(home, 'ab'), dirname(at()))
    expect(await said()).toContain('is a symbolic link')
    rmSync(join(home, 'ab', reference.blob.slice(2)))
    await expect(new Blobs(join(run, 'blobs')).store(SECRET)).rejects.toThrow('is a symbolic link')
    expect(readdirSync(join(home, 'ab'))).toEqual([])
    link(home, 'blobs')
    expect(await said()).toContain('is a symbolic link')
    await expect(new Blobs(join(run, 'blobs')).store('x')).rejects.toThrow('is a symbolic link')
  })

  it('is what its name and size say, and is stored again where it is not', async () => {
    writeFileSync(at(), SECRET.replace('own', 'OWN'))
    expect(await said()).toContain('its content has another hash')
    writeFileSync(at(), `${SECRET}more`)
    expect(await said()).toContain('bytes instead of')
    const blobs = new Blobs(join(run, 'blobs'))
    expect(await blobs.store(SECRET)).toEqual(reference)
    expect(await blobs.read(reference)).toBe(SECRET)
    expect(blobs.readSync(reference)).toBe(SECRET)
    expect(blobs.readSync(reference, 3)).toBe('the')
  })

  it('is not read where it is a file of holes that is larger than any text', async () => {
    writeFileSync(at(), SECRET)
    truncateSync(at(), 2 ** 40)
    const blobs = new Blobs(join(run, 'blobs'))
    const huge = { ...reference, bytes: 2 ** 40 }
    await expect(blobs.read(huge)).rejects.toThrow('more than any text')
    expect(() => blobs.readSync(huge, 3)).toThrow('more than any text')
  })

  it('is read whole and in part where it takes several pieces', async () => {
    const blobs = new Blobs(join(run, 'blobs'))
    const text = Array.from({ length: 400_000 }, (_, i) => String(i)).join(' ')
    const large = await blobs.store(text)
    expect(blobs.readSync(large)).toBe(text)
    expect(blobs.readSync(large, 1_500_000)).toBe(text.slice(0, 1_500_000))
  })
})

describe('a file that the user names', () => {
  it('may be reached through a link, and is not a pipe or device', () => {
    link(precious, 'named')
    expect(readNamed(join(run, 'named'))).toBe(SECRET)
    for (const target of ['/dev/zero', '/dev/stdin']) {
      link(target, 'named')
      expect(() => openNamed(join(run, 'named'))).toThrow('is not an ordinary file')
    }
    // The system reports a size of 0 for this file, but reading it returns as many bytes as there is memory.
    link('/proc/self/pagemap', 'named')
    expect(() => readBytes(join(run, 'named'), 3 << 20)).toThrow('too large: at most 3 MB')
    pipe(join(run, 'pipe'))
    expect(() => openNamed(join(run, 'pipe'))).toThrow('is not an ordinary file')
  })
})

describe('the list of runs', () => {
  it('is in no linked folder', () => {
    mkdirSync(join(home, 'elsewhere'))
    writeFileSync(join(home, 'elsewhere', 'runs.jsonl'), '{"id":"x","folder":"x"}\n')
    symlinkSync(join(home, 'elsewhere'), join(home, '.assay'))
    const list = join(home, '.assay', 'runs.jsonl')
    expect(readRunList(list)).toEqual([])
    expect(() => addToRunList(list, { id: 'a', folder: 'a' })).toThrow('is a symbolic link')
  })
})
