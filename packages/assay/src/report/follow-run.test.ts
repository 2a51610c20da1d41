/** A run that is read piece by piece has the figures of one that is read at once. */
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { random } from '@assay/metrics'
import { fakeSubject, fakeSuite, saying } from '../../test/fakes.ts'
import { run } from '../run/index.ts'
import { RunFollower } from './follow-run.ts'
import { readOutline } from './read-outline.ts'
import { readRun } from './read-run.ts'

let root: string
let folder: string
let whole: Buffer
const log = (): string => join(folder, 'trials.jsonl')

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-follow-'))
  folder = join(root, 'run')
  let i = 0
  await run({
    suites: [fakeSuite(5)],
    subjects: ['one', 'two'].map((id) =>
      // The prices of the second subject are unknown.
      fakeSubject(
        () => saying(i++ % 3 === 0 ? 'wrong' : 'right', { usd: id === 'one' ? 0.001 : null }),
        { id },
      ),
    ),
    folder,
    trials: 4,
    passK: [1, 2],
  })
  whole = readFileSync(log())
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

it('agrees at every moment, whatever was written last: torn, damaged, replaced, shortened', async () => {
  const follower = new RunFollower(folder)
  const agrees = async (): Promise<void> => {
    const { report } = await readRun(folder)
    expect((await follower.read()).report).toEqual(report)
    const outline = await readOutline(folder)
    expect(outline.counts).toEqual(report.counts)
    expect(outline.spentUsd).toBe(report.spentUsd)
    expect(outline.unpriced).toBe(report.subjects.reduce((sum, { cost }) => sum + cost.unknown, 0))
    for (const { suite, subject, passRate, counts } of report.subjects)
      expect(
        outline.subjects.find((one) => one.suite === suite && one.subject === subject),
      ).toMatchObject({ passRate, passed: counts.passed, scored: counts.passed + counts.failed })
  }
  const next = random(7)
  let at = 0
  while (at < whole.length) {
    at = Math.min(whole.length, at + Math.floor(next() * 4000))
    writeFileSync(log(), whole.subarray(0, at))
    await agrees()
  }
  // A line that does not parse, and after it intact ones: a line of the log once more.
  const lines = whole.toString('utf8').trimEnd().split('\n')
  writeFileSync(log(), `${whole.toString('utf8')}{"crc":"no\n`)
  await agrees()
  writeFileSync(log(), `${whole.toString('utf8')}{"crc":"no\n${lines[3]}\n`)
  await agrees()
  expect((await follower.read()).report.provenance.log).toMatchObject({ damaged: 1, replaced: 1 })
  writeFileSync(log(), whole.subarray(0, 3000))
  await agrees()
  // Another file of the same name.
  const other = join(root, 'other.jsonl')
  writeFileSync(other, `${[lines[0], ...lines.slice(1).reverse()].join('\n')}\n`)
  rmSync(log())
  copyFileSync(other, log())
  await agrees()
  rmSync(log())
  await agrees()
  writeFileSync(log(), whole)
  await agrees()
})

it('reads only what is new', async () => {
  const copy = join(root, 'copy')
  cpSync(folder, copy, { recursive: true })
  const follower = new RunFollower(copy)
  const cut = whole.indexOf('\n', whole.length / 2) + 1
  writeFileSync(join(copy, 'trials.jsonl'), whole.subarray(0, cut))
  const before = (await follower.read()).report.counts.cancelled
  expect(before).toBeGreaterThan(0)
  // The beginning is destroyed, which a reader of the whole log would notice.
  const changed = Buffer.from(whole)
  changed.fill('x', 200, 300)
  writeFileSync(join(copy, 'trials.jsonl'), changed)
  const { counts, provenance } = (await follower.read()).report
  expect([counts.cancelled, provenance.log.damaged]).toEqual([0, 0])
  expect((await readRun(copy)).report.provenance.log.damaged).toBe(1)
})
