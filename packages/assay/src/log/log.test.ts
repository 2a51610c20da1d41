import { createHash } from 'node:crypto'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Grade, Trial } from '@assay/contract'
import { Blobs, INLINE_BYTES } from './blobs.ts'
import { takeCheckedLine } from './checked-line.ts'
import { LineFile } from './line-file.ts'
import { Lock } from './lock/lock.ts'
import { readLines } from './read-lines.ts'
import { RunFolder } from './run-folder.ts'
import { readRecord, type RunRecord } from './run-record.ts'
import { readTrials } from './trial-lines.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-log-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function linesOf(path: string) {
  const values: unknown[] = []
  const read = await readLines(path, (line) =>
    takeCheckedLine(line, 1, (value) => void values.push(value)),
  )
  return { values, ...read }
}

describe('a line file', () => {
  it('holds every appended line once its promise has resolved', async () => {
    const path = join(folder, 'lines')
    const file = LineFile.open(path, 0)
    const done: Promise<void>[] = []
    for (let i = 0; i < 5000; i++)
      done.push(file.append(JSON.stringify({ i, text: 'ä'.repeat(i % 50) })))
    await done[0]
    expect((await linesOf(path)).values.length).toBeGreaterThan(0)
    await Promise.all(done)
    await file.close()
    const { values, torn, length } = await linesOf(path)
    expect(values).toHaveLength(5000)
    expect(values[4999]).toMatchObject({ i: 4999 })
    expect(torn).toBe(false)
    expect(length).toBe(statSync(path).size)
  })

  it('tells where each line begins, in the order of the lines, before it counts', async () => {
    const path = join(folder, 'lines')
    const file = LineFile.open(path, 0)
    const lines = Array.from({ length: 3000 }, (_, i) => `${i} ${'ä€'.repeat(i % 7)}`)
    const starts: number[] = []
    await Promise.all(
      lines.map(async (line, i) => {
        await file.append(line, (start) => starts.push(start))
        expect(starts.length).toBeGreaterThan(i)
      }),
    )
    await file.close()
    const bytes = readFileSync(path)
    const found = starts.map((start) =>
      bytes.subarray(start, bytes.indexOf('\n', start)).toString('utf8'),
    )
    expect(found).toEqual(lines)
    expect(file.digest()).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  it('goes on after a torn last line, which is cut off', async () => {
    const path = join(folder, 'lines')
    writeFileSync(path, '{"a":1}\n{"a":2}\n{"a":3')
    const { torn, length, values } = await linesOf(path)
    expect({ torn, values: values.length }).toEqual({ torn: true, values: 2 })
    const file = LineFile.open(path, length)
    await file.append('{"a":4}')
    await file.close()
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n{"a":2}\n{"a":4}\n')
  })

  it('says so when it was deleted under the writer, and then refuses every line', async () => {
    const path = join(folder, 'lines')
    const file = LineFile.open(path, 0)
    await file.append('1')
    rmSync(path)
    await expect(file.append('2')).rejects.toThrow('the file was deleted')
    await expect(file.append('3')).rejects.toThrow('the file was deleted')
    await file.close()
  })

  it('is emptied only when everything in it has served', async () => {
    const path = join(folder, 'lines')
    const file = LineFile.open(path, 0)
    await file.append('1')
    await file.clear(() => false)
    expect(readFileSync(path, 'utf8')).toBe('1\n')
    await file.clear(() => true)
    await file.append('2')
    await file.close()
    expect(readFileSync(path, 'utf8')).toBe('2\n')
  })
})

describe('reading lines', () => {
  it('skips and counts damage in the middle, and keeps what follows', async () => {
    const path = join(folder, 'lines')
    writeFileSync(path, '{"a":1}\n{"a":\u0000#\n\n{"a":3}\n')
    const { values, damaged, torn, length } = await linesOf(path)
    expect({ values, damaged, torn }).toEqual({
      values: [{ a: 1 }, { a: 3 }],
      damaged: 1,
      torn: false,
    })
    expect(length).toBe(statSync(path).size)
  })

  it('takes a last line that ends but does not parse for a torn one', async () => {
    const path = join(folder, 'lines')
    writeFileSync(path, '{"a":1}\n{"a":\n')
    expect(await linesOf(path)).toMatchObject({ torn: true, damaged: 0, length: 8 })
  })

  it('joins lines that cross the reader’s chunks, inside characters too', async () => {
    const path = join(folder, 'lines')
    const text = '€'.repeat(700_001)
    writeFileSync(path, `${JSON.stringify(text)}\n${JSON.stringify(text)}\n`)
    const { values } = await linesOf(path)
    expect(values).toEqual([text, text])
  })

  it('takes a missing file for an empty one', async () => {
    expect(await linesOf(join(folder, 'none'))).toMatchObject({
      values: [],
      torn: false,
      length: 0,
    })
  })
})

describe('blobs', () => {
  it('keep small texts inline and large ones once, by their hash', async () => {
    const blobs = new Blobs(join(folder, 'blobs'))
    const small = 'x'.repeat(INLINE_BYTES)
    const large = 'é'.repeat(INLINE_BYTES)
    expect(await blobs.put(small)).toBe(small)
    const [one, two] = await Promise.all([blobs.put(large), blobs.put(large)])
    expect(one).toEqual(two)
    expect(one).toMatchObject({ bytes: 2 * INLINE_BYTES })
    expect(await blobs.read(one)).toBe(large)
    expect(await new Blobs(join(folder, 'blobs')).put(large)).toEqual(one)
    expect(readdirSync(join(folder, 'blobs'), { recursive: true })).toHaveLength(2)
  })

  it('never follow a name that is no hash', async () => {
    const blobs = new Blobs(join(folder, 'blobs'))
    await expect(blobs.read({ blob: '../../secret', bytes: 1 })).rejects.toThrow(
      'is not a blob name',
    )
  })
})

describe('the lock', () => {
  it('lets one writer in at a time, and another when the first is gone', () => {
    const lock = Lock.take(folder)
    expect(() => Lock.take(folder)).toThrow(`process ${process.pid}`)
    lock.release()
    Lock.take(folder).release()
  })

  it('is taken over from a process that died, also when its number was given out again', () => {
    writeFileSync(
      join(folder, 'lock'),
      JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), started: '1' }),
    )
    Lock.take(folder).release()
    writeFileSync(
      join(folder, 'lock'),
      JSON.stringify({ pid: process.pid, host: hostname(), started: '1' }),
    )
    if (process.platform === 'linux') Lock.take(folder).release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('is respected when it was taken on another machine', () => {
    writeFileSync(
      join(folder, 'lock'),
      JSON.stringify({ pid: 1, host: 'elsewhere', started: null }),
    )
    expect(() => Lock.take(folder)).toThrow('on elsewhere')
  })
})

describe('a run folder', () => {
  it.each([1, 2] as const)(
    'writes the names of integrity that its version %i has, and reads today’s',
    async (version) => {
      const grade = (integrity: 'isolated' | 'in-process', details?: readonly Grade[]): Grade => ({
        name: 'code',
        type: 'code',
        score: 1,
        passed: true,
        weight: 1,
        integrity,
        ...(details === undefined ? {} : { details }),
      })
      const given = {
        ...trial(0, 'a'),
        grades: [grade('isolated', [grade('in-process')]), grade('in-process')],
      }
      const open = RunFolder.create(join(folder, 'run'), { ...record, version }, [])
      await open.appendTrial(given, false)
      await open.close(true)
      const text = readFileSync(join(folder, 'run', 'trials.jsonl'), 'utf8')
      const names = [...text.matchAll(/"integrity":"([^"]*)"/g)].map(([, name]) => name)
      expect(names.toSorted()).toEqual(
        version === 1
          ? ['inventory', 'inventory', 'values']
          : ['in-process', 'in-process', 'isolated'],
      )
      const seen: Trial[] = []
      await readTrials(join(folder, 'run'), (one) => seen.push(one))
      expect(seen).toEqual([given])
    },
  )

  const record: RunRecord = {
    assay: 'run',
    version: 2,
    id: 'r1',
    createdAt: '2026-01-01T00:00:00.000Z',
    tool: { version: '0', node: 'v24', platform: 'linux-x64' },
    seed: 1,
    revisions: [],
    ended: null,
  }
  const trial = (index: number, answer: string): Trial => ({
    suite: 's',
    case: 'c',
    subject: 'm',
    index,
    caseHash: 'h',
    outcome: 'passed',
    score: 1,
    implRate: null,
    grades: [],
    answer,
    usage: null,
    cost: { answerUsd: null, judgeUsd: null, spentUsd: 0 },
    time: { startedAt: '2026-01-01T00:00:00.000Z', answerMs: 1, waitMs: 0, gradeMs: 0 },
    source: 'live',
  })

  it('keeps trials and waiting answers over a death, and forgets nothing but what has served', async () => {
    const path = join(folder, 'run')
    const first = RunFolder.create(path, record, [])
    await first.appendPending({ n: 0 })
    await first.appendTrial(trial(0, 'a'), true)
    await first.appendPending({ n: 1 })
    await first.close(false)
    appendFileSync(join(path, 'trials.jsonl'), '{"torn":')

    const trials: Trial[] = []
    const pending: unknown[] = []
    const { folder: second, read } = await RunFolder.resume(path, [], {
      trial: (one) => void trials.push(one),
      pending: (one) => pending.push(one) > 1,
    })
    expect(read.torn).toBe(true)
    expect(trials).toEqual([trial(0, 'a')])
    expect(pending).toEqual([{ n: 0 }, { n: 1 }])
    await second.appendTrial(trial(1, 'b'), true)
    await second.close(true)
    expect(readdirSync(path).toSorted()).toEqual(['run.json', 'trials.jsonl'])
    const all: number[] = []
    expect(await readTrials(path, (one) => all.push(one.index))).toMatchObject({
      torn: false,
      damaged: 0,
    })
    expect(all).toEqual([0, 1])
  })

  it('takes secrets out of everything it writes', async () => {
    const path = join(folder, 'run')
    const run = RunFolder.create(path, record, ['my-secret-key'])
    run.update({
      revisions: [
        {
          at: '',
          suites: [],
          subjects: [
            { id: 's', kind: 'command', source: 'live', config: ['x', 'my-secret-key'], hash: '' },
          ],
          passK: [1],
          timeoutMs: 1,
          gradeTimeoutMs: 1,
          budgetUsd: null,
          request: null,
          prices: '',
        },
      ],
    })
    const answer = { text: 'my-secret-key', stop: 'end' as const, usage: null, usd: null }
    await run.appendTrial(trial(0, 'echo my-secret-key'), false)
    await run.appendPending(run.maskedAnswer(answer))
    await run.text(`my-secret-key ${'x'.repeat(INLINE_BYTES)}`)
    await run.close(false)
    for (const file of readdirSync(path, { recursive: true, withFileTypes: true }))
      if (file.isFile()) {
        const text = readFileSync(join(file.parentPath, file.name), 'utf8')
        expect(text).not.toContain('my-secret-key')
        expect(text).toContain('[secret]')
      }
  })

  it('refuses a folder that is not empty, one that is not a run, and one from the future', async () => {
    writeFileSync(join(folder, 'mine.txt'), '')
    expect(() => RunFolder.create(folder, record, [])).toThrow('is not empty')
    expect(() => readRecord(folder)).toThrow('is not a run folder')
    writeFileSync(join(folder, 'run.json'), JSON.stringify({ ...record, version: 3 }))
    expect(() => readRecord(folder)).toThrow('format version 3')
    writeFileSync(join(folder, 'run.json'), '{')
    expect(() => readRecord(folder)).toThrow('is damaged')
    writeFileSync(join(folder, 'run.json'), '{}')
    expect(() => readRecord(folder)).toThrow('was not written by assay')
    writeFileSync(join(folder, 'trials.jsonl'), '{"assay":"trials","version":9}\n')
    await expect(readTrials(folder, () => {})).rejects.toThrow('format version 9')
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    writeFileSync(join(folder, 'trials.jsonl'), `{"assay":"trials","version":${deep}}\n`)
    await expect(readTrials(folder, () => {})).rejects.toThrow('format version unknown')
  })

  it('counts lines that are no trials as damage', async () => {
    writeFileSync(
      join(folder, 'trials.jsonl'),
      `{"assay":"trials","version":1,"run":"r"}\n{"suite":"s"}\n${JSON.stringify(trial(3, ''))}\n`,
    )
    const seen: number[] = []
    expect(await readTrials(folder, ({ index }) => seen.push(index))).toMatchObject({ damaged: 1 })
    expect(seen).toEqual([3])
  })
})
