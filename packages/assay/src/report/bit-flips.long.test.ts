/**
 * Flips 20,000 single bits in the logs and records of several kinds of run. Each flip must be detected or must not
 * change any figure. A report is a pure function of the record and the trials. So for most flips it is enough to check
 * that both are read unchanged. For a sample of the flips, the complete report is compared.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { random } from '@assay/metrics'
import { RunError, UsageError, type Subject, type Trial } from '@assay/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeDiff, fakeSubject, fakeSuite, saying } from '../../test/fakes.ts'
import { richTrajectory } from '../../test/rich-trajectory.ts'
import { readRecord, readTrials } from '../log/index.ts'
import { regradable, run } from '../run/index.ts'
import { readRun } from './read-run.ts'

const FLIPS = 20_000
/** For one of this many flips, the complete report is compared. */
const SAMPLE = 100

const root = mkdtempSync(join(tmpdir(), 'assay-flips-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const folders = ['plain', 'agents', 'tiers', 'resumed', 'regraded'].map((name) => join(root, name))
const [plain = '', agents = '', tiers = '', resumed = '', regraded = ''] = folders

beforeAll(async () => {
  const mixed = (change: Partial<Subject> = {}) =>
    fakeSubject(
      ({ index, case: { id } }) =>
        saying(index % 3 === 0 ? 'wrong' : `right${id === 'c1' ? ' '.repeat(5000) : ''}`),
      change,
    )
  const suites = [fakeSuite(3)]
  await run({ suites, subjects: [mixed()], folder: plain, trials: 4, passK: [1, 2] })
  const acting = fakeSubject(() =>
    saying('right', { trajectory: richTrajectory(), diff: fakeDiff({ 'a.txt': 'a' }) }),
  )
  await run({ suites, subjects: [acting], folder: agents, trials: 2 })
  await run({
    ...{ suites, subjects: [mixed({ id: 'low' }), mixed({ id: 'high' })], folder: tiers },
    trials: 3,
    experiment: {
      name: 'words',
      tiers: [{ order: ['low', 'high'], baseline: 'low' }],
      varies: ['id'],
      composite: { pass: 1, impl: 1 },
      grades: { steps: [{ grade: 'A', least: 0.5 }], below: 'F' },
      impl: 'score',
    },
  })
  await run({ suites, subjects: [mixed()], folder: resumed, trials: 2 })
  await run({ suites, subjects: [mixed()], folder: resumed, trials: 4, resume: true })
  const again = regradable(plain, suites)
  await run({ ...again, folder: regraded, regrade: plain, trials: 4, passK: [1] })
})

async function valuesOf(folder: string): Promise<{ text: string; detected: boolean }> {
  const record = readRecord(folder)
  const trials: Trial[] = []
  const { damaged, torn } = await readTrials(folder, (trial) => void trials.push(trial))
  return { text: JSON.stringify([record, trials]), detected: damaged > 0 || torn }
}

async function reportOf(folder: string): Promise<{ text: string; detected: boolean }> {
  const { report } = await readRun(folder)
  const { damaged, torn } = report.provenance.log
  return { text: JSON.stringify(report), detected: damaged > 0 || torn }
}

interface Found {
  refused: number
  excluded: number
  harmless: number
  readonly silent: string[]
}

async function flipIn(folder: string, flips: number, seed: number, found: Found): Promise<void> {
  const draw = random(16, seed)
  const before = { values: await valuesOf(folder), report: await reportOf(folder) }
  expect([before.values.detected, before.report.detected]).toEqual([false, false])
  const files = { 'run.json': Buffer.of(), 'trials.jsonl': Buffer.of() }
  for (const name of ['run.json', 'trials.jsonl'] as const)
    files[name] = readFileSync(join(folder, name))
  for (let i = 0; i < flips; i++) {
    const name = i % 4 === 0 ? 'run.json' : 'trials.jsonl'
    const kind = i % SAMPLE === 0 ? 'report' : 'values'
    const flipped = Buffer.from(files[name])
    const at = Math.floor(draw() * flipped.length)
    const bit = Math.floor(draw() * 8)
    flipped[at] = (flipped[at] as number) ^ (1 << bit)
    writeFileSync(join(folder, name), flipped)
    try {
      const after = await (kind === 'report' ? reportOf : valuesOf)(folder)
      if (after.detected) found.excluded++
      else if (after.text === before[kind].text) found.harmless++
      else found.silent.push(`bit ${bit} of byte ${at} of ${name} in ${folder}`)
    } catch (error) {
      // Any other error would be shown to the user as a bug of Assay.
      expect(error instanceof RunError || error instanceof UsageError).toBe(true)
      found.refused++
    }
    writeFileSync(join(folder, name), files[name])
  }
}

it('each of 20,000 bit flips is detected or has no effect on any figure', async () => {
  const found: Found = { refused: 0, excluded: 0, harmless: 0, silent: [] }
  const each = FLIPS / folders.length
  await Promise.all(folders.map((folder, i) => flipIn(folder, each, i, found)))
  console.log(`${FLIPS} flips: ${JSON.stringify(found)}`)
  expect(found.silent).toEqual([])
  expect(found.refused + found.excluded + found.harmless).toBe(FLIPS)
})
