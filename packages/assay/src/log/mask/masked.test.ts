/**
 * Masking changes values inside a record, never the record's JSON text: names, outcomes and keys stay, whatever the
 * secrets are. The tests also cover: trials, all kinds of grades, attempts, run.json, and answers with files,
 * trajectories, streams and diffs. The answer cache and the pending file use the same functions
 * (run/masking.test.ts).
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakeCall, fakeDiff, fakeTrajectory, saying } from '../../../test/fakes.ts'
import { trialOf } from '../../../test/report-of.ts'
import type { Grade, Json } from '@assay/contract'
import { maskedAnswer } from './masked-answer.ts'
import { maskedJson } from './masked-json.ts'
import { maskedRecord, maskedTrial } from './masked.ts'
import { maskedStream } from './masked-stream.ts'
import { makeRedactor, redactor } from './redact.ts'
import type { RunRecord } from '../run-record.ts'

const KEY = 'sk-0123456789'

/** Words of the record format and words that the user wrote, which masking must not change. */
const WORDS = [
  'subjects',
  'provider-error',
  'majority',
  'simulated',
  'caseHash',
  'implRate',
  'shouldCompile',
  'tool-call',
  'file-change',
  'assistant',
  'my-suite',
  'my-case1',
  'my-subject',
  'my-grader',
  '2026-01-01T00:00:00.000Z',
  'a'.repeat(64),
]

const grade: Grade = {
  name: 'my-grader',
  type: 'code',
  score: 1,
  passed: true,
  weight: 1,
  reason: `said ${KEY}`,
  evidence: `saw ${KEY}`,
  cause: 'wrong-answer',
  integrity: 'in-process',
  facts: { shouldCompile: false, aggregate: 'majority', findings: [{ message: KEY }] },
  details: [{ name: 'my-case1', type: 'code', score: 0, passed: null, weight: 1, reason: KEY }],
}

const trial = trialOf({
  suite: 'my-suite',
  case: 'my-case1',
  subject: 'my-subject',
  outcome: 'errored',
  reason: { code: 'provider-error', text: `failed with ${KEY}` },
  grades: [grade, { ...grade, type: 'custom', facts: { [KEY]: { a: KEY }, [`${KEY}!`]: 1 } }],
  answer: { blob: 'a'.repeat(64), bytes: 5000 },
  attempts: [{ status: 400, error: `bad ${KEY}`, usd: null, ms: 1, waitMs: 0 }],
  remarks: [`about ${KEY}`],
  time: { startedAt: '2026-01-01T00:00:00.000Z', answerMs: 1, waitMs: 0, gradeMs: 1 },
})

describe('a trial', () => {
  it('has no secret in what came from outside', () => {
    const written = maskedTrial(trial, redactor([KEY]))
    expect(JSON.stringify(written)).not.toContain(KEY)
    expect(written).toMatchObject({
      reason: { code: 'provider-error', text: 'failed with [secret]' },
      grades: [
        { reason: 'said [secret]', details: [{ reason: '[secret]' }] },
        { facts: { '[secret]': { a: '[secret]' }, '[secret]!': 1 } },
      ],
    })
  })

  it('is what it was but for that, also where a secret is a word of the format or a name', () => {
    expect(maskedTrial(trial, redactor(WORDS))).toEqual(trial)
  })
})

it('run.json keeps its structure, its names and its request, and masks the words of subjects', () => {
  const subject = { id: 'my-subject', kind: 'command', source: 'live', hash: 'h' } as const
  const record: RunRecord = {
    assay: 'run',
    version: 1,
    id: 'id',
    createdAt: '',
    tool: { version: '0', node: '', platform: '' },
    seed: 1,
    revisions: [
      {
        at: '',
        suites: [],
        subjects: [{ ...subject, config: { command: ['x', `--key=${KEY}`], model: 'm' } }],
        passK: [1],
        timeoutMs: 1,
        gradeTimeoutMs: 1,
        budgetUsd: null,
        request: { subjects: ['my-subject'] },
        prices: '',
      },
    ],
    ended: null,
  }
  const written = maskedRecord(record, redactor([KEY, ...WORDS]))
  expect(written).toEqual({
    ...record,
    revisions: [
      {
        ...record.revisions[0],
        subjects: [{ ...subject, config: { command: ['x', '--key=[secret]'], model: 'm' } }],
      },
    ],
  })
})

describe('JSON', () => {
  it('keeps its shape and every value, also where two keys become the same', () => {
    const redact = redactor([KEY, 'sk-abcdefgh'])
    const value = { [KEY]: 1, 'sk-abcdefgh': 2, '[secret]': 3, x: [KEY, { y: KEY }] }
    expect(maskedJson(value, redact)).toEqual({
      '[secret] (2)': 1,
      '[secret] (3)': 2,
      '[secret]': 3,
      x: ['[secret]', { y: '[secret]' }],
    })
    expect(maskedJson(value, redact, 'values')).toMatchObject({ [KEY]: 1, 'sk-abcdefgh': 2 })
  })

  it('of any kind has as many values as before', () => {
    const leaves = (value: Json): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, one: Json) => sum + leaves(one), 1)
        : 1
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.string({ minLength: 8 }), (value, secret) => {
        const json = value as Json
        expect(leaves(maskedJson(json, redactor([secret])))).toBe(leaves(json))
        const quoted = { [secret]: json, [`${secret}${secret}`]: [secret] }
        expect(leaves(maskedJson(quoted, redactor([secret])))).toBe(leaves(quoted))
      }),
    )
  })
})

describe('an answer', () => {
  const mask = (change: Parameters<typeof saying>[1], secrets = [KEY]) =>
    maskedAnswer(saying('fine', change), secrets)

  it('says which of the parts that graders see are masked', () => {
    const trajectory = fakeTrajectory([{ kind: 'error', text: KEY }])
    expect(mask({}).masked).toEqual([])
    expect(mask({ note: KEY, stream: KEY }).masked).toEqual([])
    expect(mask({ text: KEY }).masked).toEqual(['answer'])
    expect(mask({ files: { [KEY]: '' } }).masked).toEqual(['files'])
    expect(mask({ trajectory }).masked).toEqual(['trajectory'])
    expect(mask({ diff: fakeDiff({ a: KEY }) }).masked).toEqual(['diff'])
    const binary = { path: 'b', change: 'added', base64: btoa(`\xff${KEY}`) } as const
    expect(mask({ diff: { version: 1, changes: [binary] } }).masked).toEqual(['diff'])
  })

  it('of an agent keeps what it is made of', () => {
    const trajectory = fakeTrajectory(
      [
        { kind: 'message', role: 'assistant', text: 'hi' },
        fakeCall('Bash', { args: { command: 'ls' } }),
        { kind: 'file-change', path: 'a', change: 'changed' },
      ],
      { usage: { m: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 } } },
    )
    const diff = fakeDiff({ 'a.txt': 'text' })
    const { answer, masked } = mask({ trajectory, diff }, WORDS)
    expect({ answer, masked }).toEqual({
      answer: saying('fine', { trajectory, diff }),
      masked: [],
    })
  })

  it('keeps the tokens of every model, also where two names become the same', () => {
    const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 }
    const trajectory = fakeTrajectory([], { usage: { [KEY]: usage, [`${KEY}${KEY}`]: usage } })
    const { answer } = mask({ trajectory })
    expect(Object.keys(answer.trajectory?.usage ?? {})).toHaveLength(2)
    expect(JSON.stringify(answer)).not.toContain(KEY)
  })

  it('is masked across what an agent says piece by piece', () => {
    const trajectory = fakeTrajectory([
      { kind: 'message', role: 'assistant', text: 'the key is sk-01' },
      { kind: 'message', role: 'assistant', text: '2345' },
      { kind: 'message', role: 'assistant', text: '6789, see?' },
      { kind: 'reasoning', text: '6789' },
    ])
    const { answer, masked } = mask({ trajectory })
    expect(masked).toEqual(['trajectory'])
    expect(answer.trajectory?.steps.map((step) => ('text' in step ? step.text : ''))).toEqual([
      'the key is [secret]',
      '[secret]',
      '[secret], see?',
      '6789',
    ])
  })
})

describe('a stream', () => {
  const stream = (...lines: readonly (object | string)[]): string =>
    lines.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('')
  const mask = (text: string, secrets = [KEY]) => maskedStream(text, makeRedactor(secrets))

  it('without a secret is as it came', () => {
    const text = stream('{"a" : 1e2}', 'plain', '{broken', { b: 'x' })
    expect(mask(text)).toBe(text)
  })

  it('stays lines of JSON, whatever the secret is', () => {
    const text = stream({ type: 'tool_use', 'a"}{"b': 1 }, 'plain tool_use', '{broken tool_use')
    expect(mask(text, ['tool_use', '"a\\"}{\\"b"', '"}{"type'])).toBe(
      stream({ type: '[secret]', 'a"}{"b': 1 }, 'plain [secret]', '{broken [secret]'),
    )
  })

  it('is masked across events that bring a text in pieces', () => {
    const piece = (content: string) => ({ type: 'message', delta: true, content })
    const masked = mask(
      stream(piece('it is sk-0'), piece('1234567'), { x: 1 }, piece('89 I think')),
    )
    expect(masked).toBe(
      stream(piece('it is [secret]'), piece('[secret]'), { x: 1 }, piece('[secret] I think')),
    )
  })

  it('is masked as a text where its events are nested too deep to be walked', () => {
    const deep = `${'{"a":'.repeat(12_000)}"${KEY}"${'}'.repeat(12_000)}`
    expect(mask(`${deep}\n{"b":"x"}\n`)).not.toContain(KEY)
    const lists = `${'['.repeat(200_000)}"${KEY}"${']'.repeat(200_000)}`
    expect(mask(lists)).not.toContain(KEY)
  })

  it('is masked across plain lines, where the secret has lines itself', () => {
    const key = '-----BEGIN KEY-----\nabcdefgh\n-----END KEY-----'
    expect(mask(`x\n${key}\ny\n`, [key])).toBe('x\n[secret]\ny\n')
  })
})
