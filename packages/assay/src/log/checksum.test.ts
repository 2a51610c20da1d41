/**
 * The log detects damage. The tests also cover: trial lines and their header, pending answers, `run.json`, the
 * answer cache, and `trials.jsonl` read by `assay analyze`. Blobs and baselines are not covered here, because they
 * have hashes instead of checksums.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RunError, type Json, type Trial } from '@assay/contract'
import { canonicalJson } from '@assay/contract/hash'
import { trialOf } from '../../test/report-of.ts'
import { checkedLine, takeCheckedLine } from './checked-line.ts'
import { canonicalText } from './checksum.ts'
import { readRecord, writeRecord, type RunRecord } from './run-record.ts'
import { readTrials, trialLine, trialsHeader, type AnsweredTrial } from './trial-lines.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-checksum-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('canonical text', () => {
  it('is that of canonicalJson for any value, numbers and __proto__ among its keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalText(value)).toBe(canonicalJson(value as Json))
      }),
    )
    for (const text of ['{"b":1,"10":2,"9":3}', '{"x":{"__proto__":[{"b":1,"a":2}]}}'])
      expect(canonicalText(JSON.parse(text))).toBe(canonicalJson(JSON.parse(text) as Json))
  })

  it('leaves out what JSON does not know', () => {
    expect(canonicalText({ b: undefined, a: [undefined, Number.NaN] })).toBe('{"a":[null,null]}')
  })
})

const trial = (index: number, change: Partial<Trial> = {}): Trial =>
  trialOf({
    index,
    answer: `answer ${index} with "quotes", ä and \u{1F600}`,
    grades: [{ name: 'g', type: 'equals', score: 1, passed: true, weight: 1, evidence: 'so' }],
    cost: { answerUsd: 0.001, judgeUsd: null, spentUsd: 0.001 },
    ...change,
  })

async function read(lines: readonly string[]) {
  writeFileSync(join(folder, 'trials.jsonl'), lines.map((line) => `${line}\n`).join(''))
  const trials: Trial[] = []
  const answered: AnsweredTrial[] = []
  const found = await readTrials(
    folder,
    (one) => void trials.push(one),
    (one) => void answered.push(one),
  )
  return { ...found, trials, answered }
}

const identity = ({ suite, case: id, subject, index }: Trial) => ({
  suite,
  case: id,
  subject,
  index,
})

describe('a line of version 2', () => {
  const header = trialsHeader('r')

  it('has canonical text, whatever fields the trial has and in which order', () => {
    const grade = { weight: 1, type: 'equals', score: 0.5, passed: null, name: 'g' }
    const usage = { reasoning: 0, output: 2, input: 1, cacheWrite: 0, cacheRead: 0 }
    const trials = [
      trial(0),
      trial(1, { usage, reason: { text: 'so', code: 'wrong-answer' }, sandbox: 'bubblewrap' }),
      trial(2, { grades: [{ ...grade, facts: { 10: 'b', 9: 'a', __proto__: null } }, grade] }),
      trial(3, { grades: [{ ...grade, reason: undefined as unknown as string }] }),
      { ...trial(4, { remarks: ['b', 'a'] }), aFieldOfLater: { b: 1, a: [2] } },
      Object.fromEntries(Object.entries(trial(5, { usage })).toReversed()) as unknown as Trial,
    ]
    const graded = new Set(['grades', 'implRate', 'outcome', 'sandbox', 'score'])
    for (const one of trials) {
      const entries = Object.entries(JSON.parse(JSON.stringify(one)) as Record<string, Json>)
      const part = (isGraded: boolean): string =>
        canonicalJson(Object.fromEntries(entries.filter(([key]) => graded.has(key) === isGraded)))
      const text = `${part(false).slice(1, -1)},${part(true).slice(1)}`
      expect(trialLine(one).replace(/^\{"crc":"[\w-]{12}",/, '')).toBe(text)
    }
  })

  it('is read as the trial that was written', async () => {
    const trials = [
      trial(0),
      trial(1, { answer: null }),
      trial(2, { files: { '10': 'a', '9': 'b' } }),
    ]
    const { trials: got, ...found } = await read([header, ...trials.map((one) => trialLine(one))])
    expect(got).toEqual(trials)
    expect(found).toMatchObject({ damaged: 0, torn: false, version: 2 })
  })

  it('counts whatever its white space, line endings and order of keys', async () => {
    const line = JSON.parse(trialLine(trial(0))) as Record<string, unknown>
    const turned = Object.fromEntries(Object.entries(line).reverse())
    const forms = [
      JSON.stringify(turned),
      `  ${JSON.stringify(line, null, 1).replaceAll('\n', ' ')}\t`,
      `${trialLine(trial(0))}\r`,
    ]
    for (const form of forms) {
      const { trials, damaged } = await read([`${header}\r`, form])
      expect(trials).toEqual([trial(0)])
      expect(damaged).toBe(0)
    }
  })

  it('does not count where a number was changed, and is named', async () => {
    const changed = trialLine(trial(1)).replace('"score":1,', '"score":0,')
    const { trials, damaged, damagedLines } = await read([
      header,
      trialLine(trial(0)),
      changed,
      trialLine(trial(2)),
    ])
    expect(trials.map(({ index }) => index)).toEqual([0, 2])
    expect(damaged).toBe(1)
    expect(damagedLines).toEqual([{ line: 3, trial: identity(trial(1)) }])
  })

  it('gives its answer where only its grades are damaged, also where it does not parse', async () => {
    const { grades: _g, score: _s, outcome: _o, implRate: _i, ...part } = trial(0)
    const whole = trialLine(trial(0))
    for (const [from, to] of [
      ['"evidence":"so"', '"evidence":"se"'],
      ['"evidence":"so"', '"evidence":"s"""'],
      ['"outcome":"passed"', '"outcome":"failed"'],
    ] as const) {
      const damaged = whole.replace(from, to)
      expect(damaged).not.toBe(whole)
      const { answered, trials, damagedLines } = await read([header, damaged, trialLine(trial(1))])
      expect(trials.map(({ index }) => index)).toEqual([1])
      expect(answered).toEqual([part])
      expect(damagedLines).toEqual([{ line: 2, trial: identity(trial(0)) }])
    }
  })

  it('gives nothing where its answer, its cost or its identity is damaged', async () => {
    for (const [from, to] of [
      ['answer 0', 'answer 1'],
      ['"spentUsd":0.001', '"spentUsd":0.002'],
      ['"index":0', '"index":1'],
      ['"crc":"', '"crd":"'],
    ] as const) {
      const damaged = trialLine(trial(0)).replace(from, to)
      const {
        answered,
        trials,
        damaged: count,
      } = await read([header, damaged, trialLine(trial(5))])
      expect(trials.map(({ index }) => index)).toEqual([5])
      expect(count).toBe(1)
      if (from !== '"crc":"') expect(answered).toEqual([])
    }
  })

  it('is read without its header, which counts as damage', async () => {
    const damage = [
      header.replace('"version":2', '"version":"2'),
      header.replace('"assay"', '"asray"'),
      header.replace('"crc"', '"crb"'),
      header.replace('"trials"', '"tr""ls"'),
    ]
    for (const first of damage) {
      const { trials, damaged } = await read([first, trialLine(trial(0))])
      expect(trials).toEqual([trial(0)])
      expect(damaged).toBe(1)
    }
    const { trials, damaged } = await read([
      `${header} ${trialLine(trial(0))}`,
      trialLine(trial(1)),
    ])
    expect(trials).toEqual([trial(1)])
    expect(damaged).toBe(1)
  })

  it('nested without end is damage, not a crash', async () => {
    const deep = `{"crc":"AAAAAAAAAAAA","a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    const { trials, damaged } = await read([header, deep, trialLine(trial(0))])
    expect([trials.length, damaged]).toEqual([1, 1])
  })
})

it('version 1 is read as unchecked, and goes on as version 1', async () => {
  const found = await read([trialsHeader('r', 1), JSON.stringify(trial(0)), trialLine(trial(1), 1)])
  expect(found.trials).toEqual([trial(0), trial(1)])
  expect(found).toMatchObject({ damaged: 0, version: 1 })
})

it('an answer that waits for its grade is taken up only as it was written', () => {
  const value = { suite: 's', answer: { text: 'a' }, spentUsd: 0.5 }
  const line = checkedLine(value, 2)
  const taken = (text: string) => {
    const values: unknown[] = []
    const fault = takeCheckedLine(Buffer.from(text), 2, (one) => void values.push(one))
    return { values, fault }
  }
  expect(taken(line)).toEqual({ values: [value], fault: null })
  for (const damaged of [line.replace('0.5', '0.4'), JSON.stringify(value), '5', 'null', '[]'])
    expect(taken(damaged)).toMatchObject({ values: [], fault: { parses: true } })
})

describe('a record of version 2', () => {
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
  const path = () => join(folder, 'run.json')
  const text = () => readFileSync(path(), 'utf8')

  it('is read whatever its white space and order of keys', () => {
    writeRecord(folder, record)
    expect(readRecord(folder)).toEqual(record)
    const turned = Object.entries(JSON.parse(text()) as object).reverse()
    writeFileSync(path(), JSON.stringify(Object.fromEntries(turned)).replaceAll(',', ',\r\n'))
    expect(readRecord(folder)).toEqual(record)
  })

  it('that was changed is reported, and read only where that is accepted', () => {
    writeRecord(folder, record)
    writeFileSync(path(), text().replace('"seed": 1', '"seed": 2'))
    expect(() => readRecord(folder)).toThrow(RunError)
    expect(() => readRecord(folder)).toThrow(/was changed since Assay wrote it.*--accept-edited/s)
    const accepted = readRecord(folder, { acceptEdited: true })
    expect(accepted).toEqual({ ...record, seed: 2, edited: true })
    // The mark `edited` stays when the record is written again.
    writeRecord(folder, accepted)
    expect(readRecord(folder)).toMatchObject({ seed: 2, edited: true })
  })

  it('without its checksum was changed; of version 1 it is unchecked', () => {
    const { version: _version, ...rest } = record
    writeFileSync(path(), JSON.stringify(record))
    expect(() => readRecord(folder)).toThrow('was changed')
    writeFileSync(path(), JSON.stringify({ ...rest, version: 1 }))
    expect(readRecord(folder)).toMatchObject({ version: 1 })
  })
})
