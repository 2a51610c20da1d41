/**
 * Run folders that another program wrote: the reader rejects every field of a wrong type. The tests also cover:
 * pending lines (run/resume/pending.ts), trajectories and diffs (agent-record.ts).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { RunError, UsageError } from '@assay/contract'
import { parseDiff, parseTrajectory } from './agent-record.ts'
import { readRecord } from './run-record.ts'
import { Plan } from './tally/plan.ts'
import { readTrials, trialsHeader } from './trial-lines.ts'
import { pendingShape } from './trial-shape.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-shape-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Data = Record<string, unknown>

const subject = { id: 'm', kind: 'model', source: 'live', config: {}, hash: 'h' }
const suite = {
  id: 's',
  name: 's',
  path: 's.toml',
  format: 'assay',
  hash: 'h',
  threshold: null,
  cases: [{ id: 'c', hash: 'h', trials: 1 }],
  text: { blob: 'a'.repeat(64), bytes: 5 },
}
const revision = {
  at: '2026-01-01T00:00:00.000Z',
  suites: [suite],
  subjects: [subject],
  passK: [1],
  timeoutMs: 1,
  gradeTimeoutMs: 1,
  budgetUsd: null,
  request: null,
  prices: '',
}
const record = {
  assay: 'run',
  version: 1,
  id: 'r',
  createdAt: '2026-01-01T00:00:00.000Z',
  tool: { version: '0', node: 'v24', platform: 'linux-x64' },
  seed: 1,
  revisions: [revision],
  ended: null,
}
const grade = { name: 'g', type: 't', score: 1, passed: true, weight: 1 }
const trial = {
  suite: 's',
  case: 'c',
  subject: 'm',
  index: 0,
  caseHash: 'h',
  outcome: 'passed',
  score: 1,
  implRate: null,
  grades: [grade],
  answer: 'a',
  usage: null,
  cost: { answerUsd: null, judgeUsd: null, spentUsd: 0 },
  time: { startedAt: '', answerMs: 1, waitMs: 0, gradeMs: 0 },
  source: 'live',
}

function read(value: unknown) {
  writeFileSync(join(folder, 'run.json'), JSON.stringify(value))
  return readRecord(folder)
}

describe('a record', () => {
  it('is read as it is, with keys that this version does not know', () => {
    const later = { ...record, later: 1, revisions: [{ ...revision, later: [] }] }
    expect(read(later)).toEqual(later)
  })

  const inRevision = (change: Data) => ({ ...record, revisions: [{ ...revision, ...change }] })
  const inSuite = (change: Data) => inRevision({ suites: [{ ...suite, ...change }] })
  it.each<[string, unknown]>([
    ['revisions[0]', { ...record, revisions: ['x'] }],
    ['revisions[0].at', { ...record, revisions: [{}] }],
    ['revisions[0].subjects', inRevision({ subjects: undefined })],
    ['revisions[0].passK[0]', inRevision({ passK: ['1'] })],
    ['revisions[0].budgetUsd', inRevision({ budgetUsd: '1' })],
    ['revisions[0].suites[0].cases', inSuite({ cases: 'x' })],
    ['revisions[0].suites[0].cases[0].id', inSuite({ cases: [{}] })],
    ['revisions[0].suites[0].text.blob', inSuite({ text: { blob: '../x', bytes: 1 } })],
    ['id', { ...record, id: [] }],
    ['tool.version', { ...record, tool: { ...record.tool, version: [] } }],
    ['ended.how', { ...record, ended: { at: '', how: 'well' } }],
    ['regrades.folder', { ...record, regrades: { id: 'x', folder: 1 } }],
  ])('with a wrong %s is damaged, which says where', (path, value) => {
    expect(() => read(value)).toThrow(RunError)
    expect(() => read(value)).toThrow(`run.json is damaged: ${path}: expected `)
  })

  it.each([null, 1, 'x', []])('that is %j was not written by assay', (value) => {
    expect(() => read(value)).toThrow('was not written by assay')
  })
})

describe('a plan', () => {
  it('of more trials than memory could hold is refused', () => {
    const suites = [{ ...suite, cases: [{ id: 'c', hash: 'h', trials: 1e12 }] }]
    const plan = () => new Plan(suites, [{ id: 'm', pool: '' }], 1)
    expect(plan).toThrow(UsageError)
    expect(plan).toThrow('1000000000000 trials are planned')
  })

  it('of too many cases and subjects is refused, even without trials', () => {
    const many = (id: string) => Array.from({ length: 3000 }, (_, i) => ({ id: `${id}${i}` }))
    const cases = many('c').map((one) => ({ ...one, hash: 'h', trials: 0 }))
    const subjects = many('m').map((one) => ({ ...one, pool: '' }))
    const plan = () => new Plan([{ ...suite, cases }], subjects, 1)
    expect(plan).toThrow(UsageError)
    expect(plan).toThrow('3000 cases for 3000 subjects')
  })
})

describe('a trial line', () => {
  async function count(line: unknown) {
    const run = join(folder, 'trials')
    mkdirSync(run, { recursive: true })
    const lines = [
      trialsHeader('r', 1),
      JSON.stringify(line),
      JSON.stringify({ ...trial, index: 1 }),
    ]
    writeFileSync(join(run, 'trials.jsonl'), `${lines.join('\n')}\n`)
    const seen: number[] = []
    const { damaged } = await readTrials(run, ({ index }) => void seen.push(index))
    return { seen, damaged }
  }

  it('counts with keys that this version does not know', async () => {
    const details = [{ ...grade, details: [grade] }]
    const line = { ...trial, later: 1, grades: [{ ...grade, details, facts: { a: [1] } }] }
    expect(await count(line)).toEqual({ seen: [0, 1], damaged: 0 })
  })

  const nested = (levels: number): unknown =>
    JSON.parse(`${'{"name":"g","type":"t","details":['.repeat(levels)}${']}'.repeat(levels)}`)
  it.each<[string, Data]>([
    ['reason', { reason: 'x' }],
    ['remarks', { remarks: 5 }],
    ['grade’s name', { grades: [{ ...grade, name: {} }] }],
    ['grade’s verdict', { grades: [{ ...grade, passed: 'yes' }] }],
    ['grade of a grade', { grades: [{ ...grade, details: [{ ...grade, type: null }] }] }],
    ['depth of grades', { grades: [nested(1000)] }],
    [
      'depth of facts',
      { grades: [{ ...grade, facts: JSON.parse('['.repeat(1000) + ']'.repeat(1000)) }] },
    ],
    ['diff', { diff: {} }],
    ['file', { files: { a: 1 } }],
    ['length of a text', { answer: { blob: 'a'.repeat(64), bytes: -5 } }],
  ])('with a wrong %s is damage, and the next one counts', async (_, change) => {
    expect(await count({ ...trial, ...change })).toEqual({ seen: [1], damaged: 1 })
  })
})

describe('an answer that waits for its grade', () => {
  const { suite: of, case: one, subject: by, index, caseHash } = trial
  const answer = { text: 'a', stop: 'end', usage: null, usd: null }
  const pending = {
    ...{ suite: of, case: one, subject: by, index, caseHash },
    ...{ answer, attempts: [], spentUsd: 0, answerUsd: null },
  }

  it('is taken up only with an answer', () => {
    expect(pendingShape(pending)).toBeNull()
    expect(pendingShape({ ...pending, answer: null })).not.toBeNull()
    // An unknown `stop` is rejected, because no reason for it could be shown.
    expect(pendingShape({ ...pending, answer: { ...answer, stop: 'x' } })).not.toBeNull()
    expect(pendingShape({ ...pending, answer: { ...answer, text: 1 } })).not.toBeNull()
  })
})

describe('what an agent did and left', () => {
  it.each(['not JSON', 'null', '{}', '{"version":1,"changes":[{}],"steps":[{}]}'])(
    'cannot be read from %s',
    (text) => {
      expect(() => parseDiff(text)).toThrow(RunError)
      expect(() => parseTrajectory(text)).toThrow(RunError)
    },
  )
})
