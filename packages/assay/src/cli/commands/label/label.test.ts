import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pico from 'picocolors'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { judgedRun } from '../../../../test/review/judged-run.ts'
import { answerHash, readLabels } from '../../../log/index.ts'
import { readRun } from '../../../report/index.ts'
import { labelCommand, type LabelFlags } from './label.ts'

let root: string
let folder: string
let file: string
const TIME = '2026-01-01T00:00:00.000Z'

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-label-'))
  folder = join(root, 'run')
  file = join(root, 'labels.json')
  await judgedRun({
    ...{ folder, cases: ['one', 'two'], subjects: ['a', 'b'], trials: 3 },
    answer: ({ index }) => (index === 0 ? 'praise' : 'plain'),
  })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function labelled(flags: Partial<LabelFlags>): Promise<string> {
  let text = ''
  const take = (more: string) => void (text += more)
  await labelCommand(
    { run: folder, ...flags },
    {
      ...{ out: take, err: take, isTerminal: false, ready: () => null, outIsTerminal: false },
      ...{ width: 100, colors: pico.createColors(false) },
    },
  )
  return text
}

async function fileWith(change: object, label: object = {}): Promise<void> {
  const source = await readRun(folder)
  const trial = source.trialAt('suite', 'one', 'b', 1)
  const one = {
    ...{ suite: 'suite', case: 'one', subject: 'b', index: 1, reviewer: 'bob', verdict: 'pass' },
    ...{ note: '', blind: true, picked: 'random', at: TIME },
    answer: trial === null ? '' : answerHash(trial),
    ...label,
  }
  const content = { assay: 'labels', version: 1, run: source.record.id, labels: [one], ...change }
  writeFileSync(file, JSON.stringify(content, null, 1))
}

it('labels one trial, and shows what the labels say', async () => {
  expect(await labelled({})).toContain('nobody has reviewed')
  const place = { case: 'one', index: '0', subject: 'a' }
  expect(await labelled({ ...place, verdict: 'fail', reviewer: ' ann ', note: 'no' })).toContain(
    'ann: fail for trial 0 of a on one',
  )
  const text = await labelled({})
  expect(text).toContain('By the labels of ann: 0 pass, 1 fail, 0 unsure; 0 blind; 1 of chosen')
  expect(text).toMatch(/^person: fail +1 +0 +0%$/m)
  expect(text).toContain('the corrected rates rest on 0 labels')
  const { labels, reviewers } = JSON.parse(await labelled({ json: true })) as {
    labels: readonly object[]
    reviewers: readonly object[]
  }
  expect(labels).toMatchObject([{ reviewer: 'ann', picked: 'chosen', isCurrent: true }])
  expect(reviewers).toMatchObject([{ reviewer: 'ann', fail: 1 }])
})

it('imports the file of a static site once, and keeps a newer label', async () => {
  await fileWith({})
  expect(await labelled({ import: file })).toContain('1 label added')
  expect(await labelled({ import: file })).toContain('0 labels added')
  await fileWith({}, { at: '2025-01-01T00:00:00.000Z', verdict: 'fail' })
  expect(await labelled({ import: file })).toContain('1 older than')
  await fileWith({}, { at: '2026-02-01T00:00:00.000Z', answer: '0'.repeat(32), index: 2 })
  expect(await labelled({ import: file })).toContain('1 label is of answers that were replaced')
  const { labels } = await readLabels(folder)
  expect(labels.find(({ reviewer, index }) => reviewer === 'bob' && index === 1)?.verdict).toBe(
    'pass',
  )
})

it('refuses a file that is wrong, with the place, and adds nothing of it', async () => {
  const before = await readLabels(folder)
  const refused = async (change: object, label: object = {}): Promise<string> => {
    await fileWith(change, label)
    return labelled({ import: file }).then(
      () => 'accepted',
      (error: Error) => error.message,
    )
  }
  expect(await refused({ run: 'other' })).toContain('labels of the run other')
  expect(await refused({ assay: 'report' })).toContain('labels.json:2:')
  expect(await refused({}, { verdict: 'passed' })).toMatch(
    /labels\.json:\d+:\d+.*did you mean pass\?/,
  )
  expect(await refused({}, { reviwer: 'x' })).toContain('reviewer')
  expect(await refused({}, { at: 'yesterday' })).toContain('2026-01-31T12:00:00.000Z')
  expect(await refused({}, { index: 7 })).toMatch(/labels\.json:6:\d+.*no trial 7 of b/s)
  expect(await refused({}, { case: '\u001b[31mx' })).not.toContain('\u001b')
  expect(await refused({ labels: {} })).toContain('a list')
  writeFileSync(file, '{')
  await expect(labelled({ import: file })).rejects.toThrow('labels.json:1:')
  expect(await readLabels(folder)).toEqual(before)
})

it('asks for what a label needs', async () => {
  const ann = { reviewer: 'ann', verdict: 'pass' } as const
  await expect(labelled({ case: 'one', ...ann })).rejects.toThrow('say which trial')
  await expect(labelled({ case: 'one', index: 'x', ...ann })).rejects.toThrow('is not a trial')
  await expect(labelled({ case: 'one', index: '0', verdict: 'pass' })).rejects.toThrow('--reviewer')
  await expect(labelled({ case: 'one', index: '0', ...ann })).rejects.toThrow('--subject')
  await expect(labelled({ import: file, ...ann })).rejects.toThrow('--import')
  const place = { case: 'one', index: '0', subject: 'a' }
  await expect(labelled({ ...place, ...ann, reviewer: 'x'.repeat(101) })).rejects.toThrow('100')
})
