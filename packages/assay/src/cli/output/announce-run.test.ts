import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import pico from 'picocolors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeSubject, fakeSuite, saying } from '../../../test/fakes.ts'
import type { RunRecord } from '../../log/index.ts'
import { changedLine, rewriteRecord } from '../../../test/rewrite-run.ts'
import { run, systemClock } from '../../run/index.ts'
import { ageText, describeRun, runAnnouncer } from './announce-run.ts'

const START = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

let root: string
let folder: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-announce-'))
  folder = join(root, 'run')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Makes a run of ten trials. If `answered` is smaller, the run is interrupted after that many answers. */
async function makeRun(answered: number = 10): Promise<void> {
  const stop = new AbortController()
  let asked = 0
  const subject = fakeSubject(
    async ({ signal }) => {
      if (asked++ < answered) return saying('right')
      stop.abort()
      await once(signal, 'abort')
      throw signal.reason
    },
    { concurrency: { start: 1, most: 1 } },
  )
  await run({
    suites: [fakeSuite(10)],
    subjects: [subject],
    folder,
    graceMs: 100,
    signal: stop.signal,
    clock: { ...systemClock, now: () => START },
  })
}

function change(ended: RunRecord['ended']): void {
  rewriteRecord(folder, (record) => ({ ...record, ended }))
}

const described = async (): Promise<string> => (await describeRun(folder, START + 3 * MINUTE)).text

describe('the state of a run', () => {
  it('is complete with its trials', async () => {
    await makeRun()
    expect(await describeRun(folder, START + 3 * MINUTE)).toEqual({
      text: 'started 3 minutes ago, complete with 10 trials',
      isComplete: true,
    })
  })

  it('is interrupted with as many as are recorded, each once', async () => {
    await makeRun(4)
    expect(await described()).toBe(
      'started 3 minutes ago, interrupted with 4 of 10 trials recorded',
    )
  })

  it('is what the record says, and running while some process holds its lock', async () => {
    await makeRun()
    const states = [
      [{ at: '', how: 'budget' }, 'stopped by its budget'],
      [{ at: '', how: 'failed' }, 'failed'],
      [null, 'cut off before its end'],
    ] as const
    for (const [ended, said] of states) {
      change(ended)
      expect(await describeRun(folder, START)).toEqual({
        text: `started less than a minute ago, ${said} with 10 of 10 trials recorded`,
        isComplete: false,
      })
    }
    const lock = { pid: process.pid, host: hostname(), started: null }
    writeFileSync(join(folder, 'lock'), JSON.stringify(lock))
    expect(await described()).toContain('still running with 10 of 10')
    change({ at: '', how: 'complete' })
    expect(await described()).toContain('still running with 10 of 10')
    // The process that holds the lock does not exist any more.
    writeFileSync(join(folder, 'lock'), JSON.stringify({ ...lock, pid: 2 ** 30 }))
    expect(await described()).toContain('complete with 10 trials')
  })

  it('counts a line that is there twice once, and none of another plan', async () => {
    await makeRun()
    change(null)
    const trial = { suite: 'suite', case: 'c0', subject: 'fake', index: 0, outcome: 'failed' }
    const rest = {
      score: 0,
      implRate: null,
      cost: {},
      time: {},
      usage: null,
      answer: null,
      grades: [],
    }
    for (const one of [trial, { ...trial, case: 'other' }])
      appendFileSync(
        join(folder, 'trials.jsonl'),
        `${changedLine('{}', { ...one, caseHash: 'hash-c0', ...rest })}\n`,
      )
    expect(await described()).toContain('cut off before its end with 10 of 10 trials recorded')
  })

  it.each([
    '',
    'null',
    '{}',
    '{"assay":"run","version":1,"revisions":[]}',
    '{"assay":"run","version":1,"revisions":[{"suites":5}]}',
  ])('is not known where the record is damaged: %s', async (text) => {
    await makeRun()
    writeFileSync(join(folder, 'run.json'), text)
    expect(await described()).toBe('which cannot be read')
  })
})

describe('the age of a run', () => {
  const HOUR = 60 * MINUTE
  it.each([
    [0, 'started less than a minute ago'],
    [MINUTE - 1, 'started less than a minute ago'],
    [MINUTE, 'started 1 minute ago'],
    [HOUR - 1, 'started 59 minutes ago'],
    [HOUR, 'started 1 hour ago'],
    [48 * HOUR - 1, 'started 47 hours ago'],
    [48 * HOUR, 'started 2 days ago'],
    [24 * HOUR * 1000, 'started 1,000 days ago'],
    [-1, 'started at 2026-01-01T00:00:00.000Z, which is in the future'],
  ])('after %i ms', (ms, said) => {
    expect(ageText('2026-01-01T00:00:00.000Z', START + ms)).toBe(said)
  })

  it('is not known where the record does not say', () => {
    expect(ageText('some day', START)).toBe('started at an unknown time')
  })
})

describe('announcing a run', () => {
  it('names the folder once, on the error stream, and only what was not its folder', async () => {
    await makeRun()
    let err = ''
    const announce = runAnnouncer(
      { err: (text) => void (err += text), colors: pico.createColors(false) },
      () => START + 3 * MINUTE,
      root,
    )
    const said = `is ${folder}, started 3 minutes ago, complete with 10 trials\n`
    expect(await announce({ folder, alias: null })).toBe(folder)
    expect(err).toBe('')
    expect(await announce({ folder, alias: 'latest' })).toBe(folder)
    await announce({ folder, alias: 'latest' })
    await announce({ folder, alias: 'r\u001b[2J' })
    expect(err).toBe(`latest ${said}"r\ufffd[2J" ${said}`)
  })

  // The commands show, report, bless, compare, `run --resume` and `replay:latest` announce the run that they found.
  // They find it by a link among the runs, by `output` of assay.toml, or by the list of runs. A folder that the user
  // typed is not announced.
  it('says where a run is that lies outside of the repository', async () => {
    await makeRun()
    const project = join(root, 'project')
    mkdirSync(project)
    symlinkSync(folder, join(project, 'linked'))
    let err = ''
    const announce = runAnnouncer(
      { err: (text) => void (err += text), colors: pico.createColors(false) },
      () => START + 3 * MINUTE,
      project,
    )
    await announce({ folder: join(project, 'linked'), alias: 'latest' })
    await announce({ folder, alias: 'run' })
    const where = 'outside of this repository), started 3 minutes ago'
    expect(err).toContain(`latest is ${join(project, 'linked')} (${folder}, ${where}`)
    expect(err).toContain(`"run" is ${folder} (${where}`)
  })
})
