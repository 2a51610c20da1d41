/**
 * Tests the index of a log (log/trial-index). The index must not change any figure, and is used only if the user's own
 * key signed it.
 */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Trial } from '@assay/contract'
import { random } from '@assay/metrics'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeSubject, fakeSuite, saying } from '../../test/fakes.ts'
import { flipBit, writeRandomLog } from '../../test/random-log.ts'
import { changedLine, logLines, rewriteRecord, writeLog } from '../../test/rewrite-run.ts'
import { Lock } from '../log/lock/lock.ts'
import { lastRevision, Plan, readRecord, readRecorded, readTrials, Tally } from '../log/index.ts'
import { writeIndex } from '../log/trial-index/index-file.ts'
import { run } from '../run/index.ts'
import { recordingOf } from '../run/recording.ts'
import { readRun, type ReadRunOptions } from './read-run.ts'
import { select } from './terminal/show-select.ts'

const key = new Uint8Array(32).fill(7)
const indexed: ReadRunOptions = { indexKey: () => key, smallRun: 0 }
const unindexed: ReadRunOptions = { smallRun: 0 }

let root: string
let folder: string
let index: string
let log: string

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-index-'))
  folder = join(root, 'run')
  index = join(folder, 'trials.index')
  log = join(folder, 'trials.jsonl')
  await fakeRun(folder, 'right')
})

afterEach(() => rmSync(root, { recursive: true }))

const fakeRun = (path: string, answer: string) =>
  run({
    suites: [fakeSuite(3)],
    subjects: [
      fakeSubject(() => saying(answer)),
      fakeSubject(({ index: at }) => saying(at === 0 ? answer : 'wrong'), { id: 'other' }),
    ],
    folder: path,
    trials: 3,
  })

const reportText = async (options: ReadRunOptions): Promise<string> =>
  JSON.stringify((await readRun(folder, options)).report)

function planOf(path: string): Plan {
  const { suites, subjects } = lastRevision(readRecord(path))
  return new Plan(
    suites,
    subjects.map(({ id }) => ({ id, pool: '' })),
    1,
  )
}

/** Returns the report, after checking that it is the same with and without the index. */
async function checkedReport(): Promise<string> {
  const plain = await reportText(unindexed)
  expect(await reportText(indexed)).toBe(plain)
  return plain
}

/** True if reading a run used the existing index and did not write a new one. */
async function isBelieved(): Promise<boolean> {
  const before = statSync(index, { throwIfNoEntry: false })
  await checkedReport()
  return before?.ino === statSync(index).ino
}

describe('the index of a log', () => {
  it('is written when a log is read, and read after that', async () => {
    expect(existsSync(index)).toBe(false)
    expect(await isBelieved()).toBe(false)
    expect(await isBelieved()).toBe(true)
    rmSync(index)
    expect(await isBelieved()).toBe(false)
  })

  it('gives the same report and trials as the log, whatever state the log is in', async () => {
    const trials: Trial[] = []
    await readTrials(folder, (trial) => trials.push(trial))
    for (let seed = 1; seed <= 60; seed++) {
      writeRandomLog(folder, trials, random(seed))
      const fromLog = await readRun(folder, unindexed)
      expect(await isBelieved(), `log ${seed}`).toBe(false)
      const fromIndex = await readRun(folder, indexed)
      expect(await isBelieved(), `log ${seed}`).toBe(true)
      expect(fromIndex.report).toEqual(fromLog.report)
      expect(fromIndex.read).toEqual(fromLog.read)
      for (const wanted of [{}, { case: 'c1' }])
        expect(await select(fromIndex, wanted, 9)).toEqual(await select(fromLog, wanted, 9))
      const seen: [Trial[], Trial[]] = [[], []]
      await fromLog.trials((trial) => seen[0].push(trial))
      await fromIndex.trials((trial) => seen[1].push(trial))
      expect(seen[1]).toEqual(seen[0])
    }
  })

  it('is written by a run only if it has more than 20,000 trials', () => {
    const isWritten = (trials: number): boolean => {
      let asked = false
      const plan = new Plan([fakeSuite(1)], [{ id: 'fake', pool: '' }], trials)
      const indexKey = () => {
        asked = true
        return key
      }
      recordingOf({ indexKey }, new Tally(plan))
      return asked
    }
    expect([20_000, 20_001].map(isWritten)).toEqual([false, true])
  })

  it('is written by a large run as a reader would write it, and its report needs neither it nor the log', async () => {
    const path = join(root, 'large')
    const { recorded } = await run({
      suites: [fakeSuite(3)],
      subjects: [
        fakeSubject(({ random: draw }) => saying(draw() < 0.7 ? 'right' : 'wrong'), {
          source: 'simulated',
        }),
      ],
      folder: path,
      trials: 700,
      indexKey: () => key,
      smallRun: 0,
    })
    const written = readFileSync(join(path, 'trials.index'))
    rmSync(join(path, 'trials.index'))
    const { report } = await readRun(path, indexed)
    expect(readFileSync(join(path, 'trials.index')).equals(written)).toBe(true)
    // Of another run's folder, the log is read.
    expect((await readRun(folder, { ...unindexed, recorded })).report).toEqual(
      (await readRun(folder, unindexed)).report,
    )
    for (const name of ['trials.index', 'trials.jsonl']) rmSync(join(path, name))
    expect((await readRun(path, { ...unindexed, recorded })).report).toEqual(report)
  })

  it('is not written if it would be large, and larger than the log', async () => {
    rewriteRecord(folder, (record) => ({
      ...record,
      revisions: record.revisions.map((one) => ({
        ...one,
        suites: one.suites.map((suite) => ({
          ...suite,
          cases: suite.cases.map((of) => ({ ...of, trials: 50_000 })),
        })),
      })),
    }))
    await readRun(folder, indexed)
    expect(readdirSync(folder).filter((name) => name.startsWith('trials.index'))).toEqual([])
  })

  it('is not written for a small run, for one with judges, or without a key', async () => {
    await readRun(folder, { indexKey: () => key })
    await readRun(folder, { indexKey: () => null, smallRun: 0 })
    rewriteRecord(folder, (record) => ({
      ...record,
      revisions: record.revisions.map((one) => ({ ...one, judges: one.subjects })),
    }))
    await readRun(folder, indexed)
    expect(existsSync(index)).toBe(false)
  })

  it('from somebody else is not believed', async () => {
    const lines = logLines(folder)
    const better = { outcome: 'passed', score: 1, reason: undefined }
    const honest = await reportText(unindexed)
    const bytes = readFileSync(log)
    writeLog(
      folder,
      lines.map((line, i) => (i === 0 ? line : changedLine(line, better))),
    )
    const plan = planOf(folder)
    const forged = await readRecorded(folder, plan)
    writeFileSync(log, bytes)
    // The forged index has the correct size and hash of this log. Only its figures are wrong.
    const digest = {
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    }
    const forge = (by: Uint8Array): void =>
      void writeIndex({ folder, plan, key: by }, forged, digest)
    forge(new Uint8Array(32).fill(8))
    expect(await reportText(indexed)).toBe(honest)
    // Signed with the user's own key, the same forged index is used. So it was rejected only because of its signature.
    forge(key)
    expect(await reportText(indexed)).not.toBe(honest)
  })

  it('of another run of the same plan is not believed', async () => {
    const other = join(root, 'other')
    await fakeRun(other, 'wrong')
    await readRun(other, indexed)
    writeFileSync(index, readFileSync(join(other, 'trials.index')))
    expect(await isBelieved()).toBe(false)
  })

  it('is written anew if any of its bits is damaged, or if it is cut short', async () => {
    await checkedReport()
    const { size } = statSync(index)
    const draw = random(5)
    for (let i = 0; i < 60; i++) {
      flipBit(index, Math.floor(draw() * size), Math.floor(draw() * 8))
      expect(await isBelieved()).toBe(false)
    }
    for (const length of [0, 5, 40, size - 1]) {
      writeFileSync(index, readFileSync(index).subarray(0, length))
      expect(await isBelieved()).toBe(false)
    }
    expect(await isBelieved()).toBe(true)
  })

  it('is stale if the log has one more line, or the record another plan', async () => {
    await checkedReport()
    const lines = logLines(folder)
    writeLog(folder, [...lines, changedLine(lines[1] ?? '', { outcome: 'failed', score: 0 })])
    expect(await isBelieved()).toBe(false)
    rewriteRecord(folder, (record) => ({
      ...record,
      revisions: record.revisions.map((one) => ({ ...one, subjects: one.subjects.toReversed() })),
    }))
    expect(await isBelieved()).toBe(false)
  })

  it('does not hide damage to the log, even if its size and times are as before', async () => {
    await checkedReport()
    const { atime, mtime, size } = statSync(log)
    flipBit(log, Math.floor(size / 2), 0)
    utimesSync(log, atime, mtime)
    const { report } = await readRun(folder, indexed)
    expect(report.provenance.log.damaged).toBe(1)
    await checkedReport()
  })

  it('is not written while the run is', async () => {
    const lock = Lock.take(folder)
    await checkedReport()
    lock.release()
    expect(existsSync(index)).toBe(false)
    await checkedReport()
    expect(existsSync(index)).toBe(true)
  })

  it('is not needed where the folder cannot be written to', async () => {
    // A folder that is not empty cannot be replaced by a file, so writing the index fails.
    mkdirSync(join(index, 'taken'), { recursive: true })
    await checkedReport()
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('is never read or written through a link', async () => {
    await checkedReport()
    const target = join(root, 'target')
    writeFileSync(target, readFileSync(index))
    rmSync(index)
    symlinkSync(target, index)
    const before = readFileSync(target)
    expect(await isBelieved()).toBe(false)
    expect(statSync(index).ino).not.toBe(statSync(target).ino)
    expect(readFileSync(target).equals(before)).toBe(true)
  })

  it('leaves nothing of a writer that was killed', async () => {
    const left = join(folder, 'trials.index.999999.tmp')
    writeFileSync(left, 'half')
    await checkedReport()
    expect(existsSync(left)).toBe(false)
    writeFileSync(left, 'half')
    rewriteRecord(folder, (record) => ({ ...record, ended: null }))
    await run({
      suites: [fakeSuite(3)],
      subjects: [
        fakeSubject(() => saying('right')),
        fakeSubject(() => saying('wrong'), { id: 'other' }),
      ],
      folder,
      trials: 3,
      resume: true,
    })
    expect(existsSync(left)).toBe(false)
  })
})
