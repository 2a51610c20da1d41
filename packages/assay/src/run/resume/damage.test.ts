/**
 * Resuming a run from a damaged folder. The tests also cover: regrading (`regrade`), where damaged grades do not
 * matter, and answers whose stored text is damaged.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeSubject, fakeSuite, saying } from '../../../test/fakes.ts'
import { logLines, rewriteRecord, writeLog } from '../../../test/rewrite-run.ts'
import { summarize, type SubjectReport } from '../../report/index.ts'
import type { RunEvent } from '../schedule/events.ts'
import { run } from '../run.ts'
import type { RunOptions } from '../run-options.ts'
import { regradable } from './regrade.ts'

let root: string
let folder: string
/** Long enough to be stored as a blob. */
const LONG = `right${' '.repeat(10_000)}`

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-damage-'))
  folder = join(root, 'run')
  await go({ resume: false })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const paid = () =>
  fakeSubject(({ index }) => saying(index === 1 ? LONG : 'right', { usd: 0.25, spentUsd: 0.25 }))

async function go(options: Partial<RunOptions> = {}) {
  const subject = paid()
  const warnings: string[] = []
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'warning') warnings.push(event.text)
  }
  const result = await run({
    suites: [fakeSuite(2)],
    subjects: [subject],
    trials: 2,
    folder,
    resume: true,
    onEvent,
    ...options,
  })
  return { ...result, asked: subject.asked.length, warnings }
}

/** Changes the line of one trial of case c0, chosen by its index. */
function damage(index: number, change: (line: string) => string): number {
  const lines = logLines(folder)
  const at = lines.findIndex(
    (line) => line.includes('"case":"c0"') && line.includes(`"index":${index},`),
  )
  const before = lines[at] as string
  lines[at] = change(before)
  expect(lines[at]).not.toBe(before)
  writeLog(folder, lines)
  return at + 1
}

describe('a trial whose line is damaged', () => {
  it.each([
    ['parses', (line: string) => line.replace('"outcome":"passed"', '"outcome":"failed"')],
    ['does not parse', (line: string) => line.replace('"outcome":"passed"', '"outcome":"pas"ed"')],
  ])(
    'is graded again and not bought again where its answer is sound, if it %s',
    async (_, change) => {
      const before = await summarize(folder)
      const line = damage(0, change)
      const between = await summarize(folder)
      expect(between.counts).toMatchObject({ passed: 3, cancelled: 1 })
      expect(between.spentUsd).toBe(before.spentUsd)
      const { asked, warnings, tally } = await go()
      expect(asked).toBe(0)
      expect(tally.counts().passed).toBe(4)
      const said = warnings.find((text) => text.includes('damaged'))
      expect(said).toContain(`line ${line} (suite suite, case c0, subject fake, trial 0)`)
      expect(said).toContain('answers of 1 are as they were written and are only graded again')
      const after = await summarize(folder)
      expect(after.spentUsd).toBe(before.spentUsd)
      expect(after.subjects).toEqual(before.subjects.map(timesOf(after.subjects)))
      expect(after.provenance.log).toMatchObject({ damaged: 1, checked: true })
    },
  )

  it('is asked for again where its answer is damaged', async () => {
    damage(0, (line) => line.replace('"answer":"right"', '"answer":"wrong"'))
    const { asked, tally } = await go()
    expect(asked).toBe(1)
    expect(tally.counts().passed).toBe(4)
  })

  it('is asked for again where its stored text is damaged', async () => {
    damage(1, (line) => line.replace('"outcome":"passed"', '"outcome":"failed"'))
    for (const name of readdirSync(join(folder, 'blobs'), {
      recursive: true,
      withFileTypes: true,
    })) {
      const path = join(name.parentPath, name.name)
      if (name.isFile() && readFileSync(path, 'utf8') === LONG)
        writeFileSync(path, LONG.replace('right', 'wrong'))
    }
    const { asked, warnings, tally } = await go()
    expect(asked).toBe(1)
    expect(warnings.join()).toContain('stored texts are damaged are asked for again: 1')
    expect(tally.counts().passed).toBe(4)
  })

  it('gives its answer to a regrading', async () => {
    damage(0, (line) => line.replace('"score":1', '"score":0'))
    const { suites, subjects } = regradable(folder, [fakeSuite(2)])
    const { tally, warnings } = await go({
      suites,
      subjects,
      folder: join(root, 'again'),
      resume: false,
      regrade: folder,
    })
    expect(tally.counts().passed).toBe(4)
    expect(warnings.join()).toContain('1 line of the log is damaged')
  })
})

/** Copies times and durations from another run, because they differ between runs. */
function timesOf(rows: readonly SubjectReport[]): (row: SubjectReport, i: number) => object {
  return (row, i) => ({
    ...row,
    grading: rows[i]?.grading,
    duration: rows[i]?.duration,
    spec: rows[i]?.spec,
    cases: row.cases.map((one, j) => ({ ...one, runs: rows[i]?.cases[j]?.runs })),
  })
}

describe('a record that was changed', () => {
  const edit = (): void => {
    const path = join(folder, 'run.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"seed": 1', '"seed": 3'))
  }

  it('goes on only where that is accepted, and says so from then on', async () => {
    edit()
    await expect(go()).rejects.toThrow('was changed since Assay wrote it')
    await go({ acceptEdited: true })
    expect((await summarize(folder)).provenance).toMatchObject({ edited: true, seed: 3 })
  })

  it('is graded again only where that is accepted, and the new run says so', async () => {
    edit()
    expect(() => regradable(folder, [fakeSuite(2)])).toThrow('was changed')
    const again = join(root, 'again')
    const options = { acceptEdited: true }
    const { suites, subjects } = regradable(folder, [fakeSuite(2)], options)
    await go({ ...options, suites, subjects, folder: again, resume: false, regrade: folder })
    expect((await summarize(again)).provenance.regrades).toMatchObject({ edited: true })
  })
})

it('what a killed writer left in the folder is removed by the next start', async () => {
  const [first = ''] = readdirSync(join(folder, 'blobs'))
  const blobs = join(folder, 'blobs', first)
  const left = [
    join(blobs, `${'a'.repeat(62)}.123.tmp`),
    join(folder, 'run.json.123.tmp'),
    join(folder, 'lock.x.new'),
  ]
  const others = [join(blobs, 'notes.tmp'), join(folder, 'run.json.tmp')]
  for (const path of [...left, ...others])
    writeFileSync(path, JSON.stringify({ pid: 2 ** 30, host: hostname() }))
  mkdirSync(join(folder, 'blobs', 'zz'))
  // Simulates a killed process: the record does not say how the run ended.
  rewriteRecord(folder, (record) => ({ ...record, ended: null }))
  await go({ trials: 3 })
  for (const path of left) expect(existsSync(path)).toBe(false)
  for (const path of others) expect(existsSync(path)).toBe(true)
})
