import { spawn } from 'node:child_process'
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Label } from '@assay/contract'
import { appendLabels, copyLabels, LABELS_FILE, readLabels } from './label-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-labels-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const label = (change: Partial<Label> = {}): Label => ({
  ...{ suite: 's', case: 'c', subject: 'm', index: 0, answer: 'h', reviewer: 'ann' },
  ...{ verdict: 'pass', note: '', blind: true, picked: 'random', at: '2026-01-01T00:00:00.000Z' },
  ...change,
})

it('keeps the last label of each person on each trial', async () => {
  expect((await readLabels(folder)).labels).toEqual([])
  appendLabels(folder, [label(), label({ index: 1, verdict: 'fail' })])
  appendLabels(folder, [label({ reviewer: 'bob' })])
  appendLabels(folder, [label({ verdict: 'fail', note: 'a “lie”\n\u2028\ud800' })])
  appendLabels(folder, [label({ index: 1, verdict: 'withdrawn' })])
  const { labels, replaced } = await readLabels(folder)
  expect(labels).toEqual([
    label({ reviewer: 'bob' }),
    label({ verdict: 'fail', note: 'a “lie”\n\u2028\ud800' }),
  ])
  expect(replaced).toBe(2)
})

it('leaves a trial in the random sample when its label is corrected on purpose', async () => {
  appendLabels(folder, [label(), label({ index: 1, picked: 'chosen' })])
  appendLabels(folder, [label({ verdict: 'fail', picked: 'chosen' }), label({ index: 1 })])
  // Another answer of the same trial did not come up at random.
  appendLabels(folder, [label({ index: 2 }), label({ index: 2, answer: 'i', picked: 'chosen' })])
  const { labels } = await readLabels(folder)
  expect(labels).toEqual([
    label({ verdict: 'fail' }),
    label({ index: 1 }),
    label({ index: 2, answer: 'i', picked: 'chosen' }),
  ])
})

it('drops a torn last line, reports it, and goes on after it', async () => {
  appendLabels(folder, [label(), label({ index: 1 })])
  const path = join(folder, LABELS_FILE)
  writeFileSync(path, readFileSync(path).subarray(0, -9))
  expect(await readLabels(folder)).toMatchObject({ labels: [label()], torn: true, damaged: 0 })
  appendLabels(folder, [label({ index: 2 })])
  const read = await readLabels(folder)
  expect(read.labels).toEqual([label(), label({ index: 2 })])
  // The rest of the torn line is still there, between whole lines.
  expect(read).toMatchObject({ torn: false, damaged: 1 })
})

it('refuses lines that were changed or are no labels, and links', async () => {
  appendLabels(folder, [label()])
  const path = join(folder, LABELS_FILE)
  const line = readFileSync(path, 'utf8')
  appendFileSync(path, line.replace('"pass"', '"fail"'))
  appendFileSync(path, '{"assay":"label"}\n[]\nnull\n"x"\n')
  appendLabels(folder, [{ ...label({ index: 3 }), reviewer: '' }, label({ index: 4 })])
  const read = await readLabels(folder)
  expect(read.labels).toEqual([label(), label({ index: 4 })])
  expect(read.damaged).toBe(6)
  const other = join(folder, 'elsewhere')
  writeFileSync(other, '')
  rmSync(path)
  symlinkSync(other, path)
  expect(() => appendLabels(folder, [label()])).toThrow('symbolic link')
  expect(readFileSync(other, 'utf8')).toBe('')
})

it('copies labels for a run with the same answers', async () => {
  const to = mkdtempSync(join(tmpdir(), 'assay-labels-'))
  try {
    await copyLabels(to, [folder])
    appendLabels(folder, [label(), label({ verdict: 'fail' })])
    await copyLabels(to, [folder])
    expect(await readLabels(to)).toMatchObject({
      labels: [label({ verdict: 'fail' })],
      replaced: 0,
    })
  } finally {
    rmSync(to, { recursive: true, force: true })
  }
})

it('two writers that are killed lose no label that was said to be stored', async () => {
  const program = fileURLToPath(new URL('../../../test/review/label-process.ts', import.meta.url))
  const writers = ['ann', 'bob'].map(
    (reviewer) =>
      new Promise<{ reviewer: string; stored: number }>((resolve, reject) => {
        const child = spawn(process.execPath, ['--no-warnings', program, folder, reviewer], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        let said = ''
        child.stdout.on('data', (piece) => {
          said += String(piece)
          if (said.length > 150) child.kill('SIGKILL')
        })
        child.on('error', reject)
        child.on('close', () => {
          const stored = said.slice(0, said.lastIndexOf('\n')).split('\n').length
          resolve({ reviewer, stored })
        })
      }),
  )
  const ended = await Promise.all(writers)
  const { labels, damaged } = await readLabels(folder)
  expect(damaged).toBe(0)
  for (const { reviewer, stored } of ended) {
    expect(stored).toBeGreaterThan(20)
    const own = labels.filter((one) => one.reviewer === reviewer)
    expect(own.length).toBeGreaterThanOrEqual(stored)
    expect(own.map(({ index }) => index)).toEqual(own.map((_, i) => i))
  }
})
