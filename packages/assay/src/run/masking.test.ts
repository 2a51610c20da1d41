/**
 * Graders see unmasked answers, but everything that a run writes, prints or throws is free of secrets. The tests
 * also cover: text graders, custom code graders and judges (grade-trial.ts, judge-requests.ts); trials.jsonl,
 * pending.jsonl, run.json, blobs, evidence (trial/, stored-texts.ts, log/); the answer cache; resuming after a
 * crash; `--regrade` (regrade.ts) and `replay:` (subject/recorded-run.ts); events and errors; the report that is
 * made from the log; subjects: models (model.ts), commands (command.ts), agents (agent/drive.ts,
 * agent/surroundings.ts, given-env.ts).
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  equalsGrader,
  fakeCase,
  fakeSubject,
  fakeSuite,
  fakeTrajectory,
  saying,
  skippingClock,
} from '../../test/fakes.ts'
import { SubjectError, type GraderConfig, type Json, type Trial } from '@assay/contract'
import { graderByType } from '../grade/index.ts'
import { readRecord, readTrials } from '../log/index.ts'
import { summarize } from '../report/index.ts'
import { openReplay } from '../subject/index.ts'
import type { RunEvent } from './schedule/events.ts'
import { regradable } from './resume/regrade.ts'
import type { RunOptions } from './run-options.ts'
import { run } from './run.ts'

let folder: string
let events: RunEvent[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-masking-'))
  events = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string): string => join(folder, name)
const KEY = 'sk-0123456789'

const go = (options: Partial<RunOptions>) =>
  run({
    suites: [fakeSuite(1)],
    subjects: [],
    folder: at('run'),
    trials: 1,
    clock: skippingClock(),
    onEvent: (event) => events.push(event),
    ...options,
  })

async function trialsIn(path: string): Promise<Trial[]> {
  const trials: Trial[] = []
  const read = await readTrials(path, (trial) => trials.push(trial))
  expect(read).toMatchObject({ damaged: 0, torn: false })
  return trials
}

/** The contents of all files in a folder as one text, except for the user's own suite files. */
const allOf = (path: string): string =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'))
    .filter((text) => !text.startsWith('{"id":"suite"'))
    .join('\n')

const warnings = (): string[] =>
  events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))

const saysPassword = fakeSuite([fakeCase('c', { graders: [equalsGrader('the password')] })])

describe('a secret that is a word of the answer', () => {
  const subject = () => fakeSubject(() => saying('the password'), { secrets: ['password'] })

  it('is there for the graders, and masked in what is written', async () => {
    const { tally } = await go({ suites: [saysPassword], subjects: [subject()] })
    expect(tally.counts()).toMatchObject({ passed: 1 })
    expect(await trialsIn(at('run'))).toMatchObject([
      { outcome: 'passed', answer: 'the [secret]', masked: ['answer'] },
    ])
    expect(allOf(at('run'))).not.toContain('password')
    expect(events.filter(({ type }) => type === 'trial')).toMatchObject([
      { trial: { answer: 'the [secret]' } },
    ])
    expect(warnings()).toEqual([
      'suite suite holds a secret in its own words: what you wrote is recorded as it is',
    ])
  })

  it('fails an answer that must not have it', async () => {
    const graders = [{ ...equalsGrader('the password'), negate: true }]
    const { tally } = await go({
      suites: [fakeSuite([fakeCase('c', { graders })])],
      subjects: [subject()],
    })
    expect(tally.counts()).toMatchObject({ failed: 1 })
  })
})

it.each([
  'subjects',
  'revisions',
  'complete',
  'hash-c0x',
  'gradeTimeoutMs',
  'fakesubject',
  'suite-id1',
])('a secret that is "%s" destroys no record, and resume finds its trials', async (secret) => {
  const subject = () => fakeSubject(() => saying('right'), { id: 'fakesubject', secrets: [secret] })
  const suite = fakeSuite([fakeCase('c0', { hash: 'hash-c0x' })], { id: 'suite-id1' })
  const options = { suites: [suite], subjects: [subject()] }
  const { ended } = await go({ ...options, trials: 1 })
  expect(ended).toBe('complete')
  expect(readRecord(at('run')).revisions).toHaveLength(1)
  await go({ ...options, subjects: [subject()], trials: 2, resume: true })
  expect(await trialsIn(at('run'))).toHaveLength(2)
  expect(readRecord(at('run')).revisions.at(-1)).toMatchObject({
    subjects: [{ id: 'fakesubject' }],
    suites: [{ id: 'suite-id1', cases: [{ hash: 'hash-c0x', trials: 2 }] }],
  })
  const report = await summarize(at('run'))
  expect(report.counts).toMatchObject({ planned: 2, passed: 2 })
})

it('a short secret is used and not masked, and the run says so before it starts and in its record', async () => {
  const subject = fakeSubject(() => saying('right'), { id: 'x', secrets: ['right', ''] })
  await go({ subjects: [subject] })
  const text = 'a secret of x has fewer than 8 characters: it is used, and not masked in records'
  expect(events[0]).toEqual({ type: 'warning', text })
  expect(readRecord(at('run')).revisions[0]?.unmasked).toEqual({ short: ['x'] })
  expect((await summarize(at('run'))).notes).toContain(text)
  expect(await trialsIn(at('run'))).toMatchObject([{ answer: 'right' }])
})

it('nothing that is written, printed or thrown holds a key, however it came back', async () => {
  const long = `${KEY} ${'x'.repeat(5000)}`
  const answers = [
    () => saying(long, { files: { [`${KEY}.txt`]: long }, note: KEY }),
    () => saying(KEY, { trajectory: fakeTrajectory([{ kind: 'error', text: KEY }]), stream: long }),
    () => saying(KEY, { stop: 'exit', note: `stderr: ${KEY}` }),
    () => {
      throw new SubjectError(`refused ${KEY}`, { reason: 'provider-error', retry: true })
    },
    () => {
      throw new Error(`broken ${KEY}`)
    },
  ]
  const subject = fakeSubject(({ index }) => (answers[index] as (typeof answers)[0])(), {
    secrets: [KEY],
    config: { words: ['--key', KEY] },
  })
  await go({ subjects: [subject], trials: answers.length, maxErrors: 1, cache: at('cache') })
  expect(allOf(folder)).not.toContain(KEY)
  expect(JSON.stringify(events)).not.toContain(KEY)
  expect(await trialsIn(at('run'))).toHaveLength(answers.length)

  const failing = fakeSubject(() => saying('right'), { secrets: [KEY] })
  writeFileSync(at(KEY), '')
  await expect(go({ subjects: [failing], folder: join(at(KEY), 'run') })).rejects.toThrow(
    /\[secret\]/u,
  )
})

it('run.json that is read again makes no new revision because a word was masked', async () => {
  const subject = () =>
    fakeSubject(() => saying('right'), { secrets: [KEY], config: { words: [KEY] } })
  await go({ subjects: [subject()] })
  await go({ subjects: [subject()], resume: true })
  expect(readRecord(at('run')).revisions).toHaveLength(1)
})

describe('an answer that was kept masked before its grade', () => {
  /** A run whose process dies after the answer has arrived and before it is graded. */
  async function interrupted(answer: string): Promise<void> {
    const stop = new AbortController()
    const subject = fakeSubject(() => saying(answer, { usd: 0.25 }), { secrets: [KEY] })
    const graders: GraderConfig[] = [{ ...equalsGrader(answer), type: 'custom' }]
    // Grading fails, so the answer stays in the pending file and the trial is errored.
    await go({
      suites: [fakeSuite([fakeCase('c', { graders })])],
      subjects: [subject],
      maxErrors: 1,
      signal: stop.signal,
    })
    // Simulates that the process died before it wrote the trial's line.
    const [header] = readFileSync(at('run/trials.jsonl'), 'utf8').split('\n')
    writeFileSync(at('run/trials.jsonl'), `${header}\n`)
  }
  const resumed = (answer: string) => {
    const subject = fakeSubject(() => saying(answer, { usd: 0.25 }), { secrets: [KEY] })
    const suite = fakeSuite([fakeCase('c', { graders: [equalsGrader(answer)] })])
    return { subject, done: go({ suites: [suite], subjects: [subject], resume: true }) }
  }

  it('is asked for again, at the price of both, and the trial says so', async () => {
    await interrupted(`the key is ${KEY}`)
    expect(readFileSync(at('run/pending.jsonl'), 'utf8')).not.toContain(KEY)
    const { subject, done } = resumed(`the key is ${KEY}`)
    const { tally } = await done
    expect(subject.asked).toHaveLength(1)
    expect(tally.counts()).toMatchObject({ passed: 1 })
    expect(tally.spentUsd).toBeCloseTo(0.5, 9)
    expect(await trialsIn(at('run'))).toMatchObject([
      {
        outcome: 'passed',
        cost: { answerUsd: 0.25, spentUsd: 0.5 },
        remarks: [expect.stringMatching(/^asked again: /u)],
      },
    ])
    expect(warnings()).toContain(
      'asked for again, because the answer held a secret and was kept masked until its grade: 1 of 1 trials',
    )
  })

  it('is graded as it is where masking did not change it', async () => {
    await interrupted('no key here')
    const { subject, done } = resumed('no key here')
    const { tally } = await done
    expect(subject.asked).toHaveLength(0)
    expect(tally.counts()).toMatchObject({ passed: 1 })
    expect(tally.spentUsd).toBeCloseTo(0.25, 9)
  })
})

describe('an answer with a secret that is kept for later', () => {
  const keyed = () =>
    fakeSubject(({ index }) => saying(index === 0 ? KEY : 'right'), { secrets: [KEY] })
  const suite = fakeSuite([fakeCase('c', { graders: [equalsGrader(KEY)] })])

  it('is not in the answer cache: it is asked for again', async () => {
    const options = { suites: [suite], trials: 2, cache: at('cache') }
    await go({ ...options, subjects: [keyed()] })
    const second = keyed()
    const { tally } = await go({ ...options, subjects: [second], folder: at('second') })
    expect(second.asked.map(({ index }) => index)).toEqual([0])
    expect(tally.counts()).toMatchObject({ passed: 1, failed: 1 })
  })

  it('is not graded again by --regrade, which says so on the trial', async () => {
    await go({ suites: [suite], subjects: [keyed()], trials: 2 })
    const { suites, subjects } = regradable(at('run'), [suite])
    await go({ suites, subjects, trials: 2, regrade: at('run'), folder: at('again'), maxErrors: 1 })
    const trials = (await trialsIn(at('again'))).toSorted((a, b) => a.index - b.index)
    expect(trials).toMatchObject([
      {
        outcome: 'errored',
        answer: null,
        reason: { code: 'no-answer', text: expect.stringContaining('masked') },
      },
      { outcome: 'failed', answer: 'right' },
    ])
    expect(warnings().join()).toContain('1 held a secret and is recorded masked')
  })

  it('is not replayed, which the trial says', async () => {
    await go({ suites: [suite], subjects: [keyed()], trials: 2 })
    const replay = await openReplay('replay:run', at('run'), null)
    await go({ suites: [suite], subjects: [replay], trials: 2, folder: at('again'), maxErrors: 1 })
    const trials = (await trialsIn(at('again'))).toSorted((a, b) => a.index - b.index)
    expect(trials).toMatchObject([
      {
        outcome: 'errored',
        reason: { code: 'no-answer', text: expect.stringContaining('masked') },
      },
      { outcome: 'failed' },
    ])
  })
})

describe('a judge', () => {
  const judged: GraderConfig = {
    ...equalsGrader(''),
    type: 'judge',
    name: 'judge',
    options: graderByType('judge')?.options.parse({
      judges: ['judge'],
      rubric: [{ text: 'How good is it?', scale: [1, 5] }],
    }) as Json,
  }
  const judgeWith = (secrets: readonly string[]) =>
    fakeSubject(() => saying('no verdict'), { id: 'judge', pool: 'judge', secrets })
  const askedOf = async (secrets: readonly string[]) => {
    const judge = judgeWith(secrets)
    await go({
      suites: [fakeSuite([fakeCase('c', { graders: [judged] })])],
      subjects: [fakeSubject(() => saying(`look: ${KEY}`), { secrets: [KEY] })],
      judges: [judge],
      maxErrors: 1,
    })
    const [trial] = await trialsIn(at('run'))
    return { sent: JSON.stringify(judge.asked[0]?.messages), trial }
  }

  it('is sent no key of another provider, which the trial says', async () => {
    const { sent, trial } = await askedOf(['another-key-1'])
    expect(sent).toContain('look: [secret]')
    expect(sent).not.toContain(KEY)
    expect(trial?.remarks).toEqual([
      'judge judge saw [secret] in place of a secret of another subject',
    ])
  })

  it('of the same key sees the answer as it is', async () => {
    const { sent, trial } = await askedOf([KEY])
    expect(sent).toContain(KEY)
    expect(trial?.remarks).toBeUndefined()
  })
})
