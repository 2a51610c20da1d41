import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Ask, type Case, type Suite, type Trial, UsageError } from '@assay/contract'
import { Blobs } from '../../log/index.ts'
import { openReplay } from './replay.ts'
import { openRecordedAnswers } from './recorded-answers.ts'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-replay-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

const ask = (id: string, index: number, suite = 's'): Ask => ({
  suite,
  case: { id } as Case,
  index,
  messages: [],
  maxTokens: null,
  timeoutMs: 1000,
  random: () => 0,
  signal: new AbortController().signal,
})

const usage = { input: 5, cacheRead: 1, cacheWrite: 2, output: 3, reasoning: 1 }

const trial = (given: Partial<Trial>): Trial => ({
  suite: 's',
  case: 'a',
  subject: 'm',
  index: 0,
  caseHash: 'h',
  outcome: 'passed',
  score: 1,
  implRate: null,
  grades: [],
  answer: 'yes',
  usage,
  cost: { answerUsd: 0.25, judgeUsd: null, spentUsd: 0.25 },
  time: { startedAt: '2025-01-01T00:00:00.000Z', answerMs: 12.5, waitMs: 7, gradeMs: 1 },
  source: 'live',
  ...given,
})

/** Writes a run folder with these trials. */
async function runFolder(trials: readonly unknown[]): Promise<string> {
  const path = join(folder, 'run')
  await mkdir(path, { recursive: true })
  await writeFile(join(path, 'run.json'), '{}')
  const lines = [{ assay: 'trials', version: 1, run: 'x' }, ...trials]
  await writeFile(
    join(path, 'trials.jsonl'),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  )
  return path
}

const suites = (...cases: string[]): Suite[] => [
  { id: 's', cases: cases.map((id) => ({ id })) } as unknown as Suite,
]

describe('replaying a run', () => {
  it('gives each answer as it was: text, usage, cost, time; and spends nothing', async () => {
    const subject = await openReplay('r', await runFolder([trial({})]), null)
    expect(await subject.answer(ask('a', 0))).toEqual({
      text: 'yes',
      stop: 'end',
      usage,
      usd: 0.25,
      spentUsd: 0,
      ms: 12.5,
    })
    expect(subject).toMatchObject({ id: 'r', kind: 'replay', source: 'replay' })
    expect(subject.estimateUsd({} as Case)).toBe(0)
  })

  it('reads large texts and files from the run’s blobs', async () => {
    const long = '😀 long '.repeat(5000)
    const path = await runFolder([])
    const answer = await new Blobs(join(path, 'blobs')).put(long)
    expect(answer).toHaveProperty('blob')
    await runFolder([trial({ answer, files: { 'a.ts': 'short', 'b.ts': answer } })])
    const subject = await openReplay('r', path, null)
    expect(await subject.answer(ask('a', 0))).toMatchObject({
      text: long,
      files: { 'a.ts': 'short', 'b.ts': long },
    })
    await rm(join(path, 'blobs'), { recursive: true })
    await expect(subject.answer(ask('a', 0))).rejects.toMatchObject({
      reason: 'no-answer',
      retry: false,
      message: expect.stringContaining('cannot be read'),
    })
  })

  it.each([
    ['truncated', 'length'],
    ['refused', 'refusal'],
    ['filtered', 'filter'],
    ['exit-code', 'exit'],
    ['function-failed', 'threw'],
    ['answer-timeout', 'timeout'],
  ] as const)('stops again as it did: %s', async (code, stop) => {
    const failed = trial({ outcome: 'failed', score: 0, reason: { code, text: 'as noted' } })
    const subject = await openReplay('r', await runFolder([failed]), null)
    expect(await subject.answer(ask('a', 0))).toMatchObject({ stop, note: 'as noted' })
  })

  it('takes a wrong or ungraded answer for one that ended by itself', async () => {
    const reason = { code: 'wrong-answer', text: 'equals: expected 1' } as const
    const path = await runFolder([
      trial({ outcome: 'failed', reason }),
      trial({ index: 1, outcome: 'errored', reason: { code: 'grader-error', text: 'oops' } }),
    ])
    const subject = await openReplay('r', path, null)
    for (const index of [0, 1]) {
      const answer = await subject.answer(ask('a', index))
      expect(answer.stop).toBe('end')
      expect(answer.note).toBeUndefined()
    }
  })

  it('has no answer where there was none, and does not try again', async () => {
    const reason = { code: 'rate-limited', text: 'too many requests' } as const
    const errored = trial({ outcome: 'errored', answer: null, usage: null, reason })
    const subject = await openReplay('r', await runFolder([errored]), null)
    await expect(subject.answer(ask('a', 0))).rejects.toMatchObject({
      name: 'SubjectError',
      reason: 'no-answer',
      retry: false,
      message: 'r has no answer for trial 0 of a: too many requests',
    })
    for (const other of [ask('a', 1), ask('b', 0), ask('a', 0, 't')])
      await expect(subject.answer(other)).rejects.toMatchObject({ reason: 'no-answer' })
  })

  it('lets the last line of an identity count', async () => {
    const path = await runFolder([trial({ answer: 'first' }), trial({ answer: 'second' })])
    const subject = await openReplay('r', path, null)
    expect(await subject.answer(ask('a', 0))).toMatchObject({ text: 'second' })
  })

  it('keeps the subjects of a run apart', async () => {
    const path = await runFolder([trial({}), trial({ subject: 'n/x', answer: 'no' })])
    await expect(openReplay('r', path, null)).rejects.toThrow('has several subjects (m, n/x)')
    await expect(openReplay('r', path, 'o')).rejects.toThrow('has no subject "o", only m, n/x')
    const subject = await openReplay('r', path, 'n/x')
    expect(await subject.answer(ask('a', 0))).toMatchObject({ text: 'no' })
  })

  it('calls answers simulated that were, also when they are replayed again', async () => {
    const sourceOf = async (...trials: Trial[]): Promise<string> =>
      (await openReplay('r', await runFolder(trials), 'm')).source
    expect(await sourceOf(trial({ source: 'live' }), trial({ subject: 'n' }))).toBe('replay')
    expect(await sourceOf(trial({ source: 'replay' }))).toBe('replay')
    expect(await sourceOf(trial({}), trial({ index: 1, source: 'simulated' }))).toBe('simulated')
    const other = trial({ subject: 'n', source: 'simulated' })
    expect(await sourceOf(trial({ source: 'live' }), other)).toBe('replay')
  })

  it('records where the answers come from, and changes with them', async () => {
    const path = await runFolder([trial({ source: 'simulated' })])
    const before = (await openReplay('r', path, null)).config
    expect(before).toMatchObject({ run: path, subject: 'm', sources: ['simulated'] })
    expect((await openReplay('r', path, null)).config).toEqual(before)
    await runFolder([trial({ source: 'simulated', answer: 'other' })])
    expect((await openReplay('r', path, null)).config).not.toEqual(before)
  })

  it('refuses before the run what it cannot replay', async () => {
    await expect(openReplay('r', await runFolder([]), null)).rejects.toThrow('has no trials')
    await expect(openReplay('r', folder, null)).rejects.toThrow('holds no run')
    await expect(openReplay('r', join(folder, 'nowhere'), null)).rejects.toThrow(UsageError)
    const subject = await openReplay('r', await runFolder([trial({})]), null)
    expect(() => subject.check(suites('b', 'c'))).toThrow('it has answers to a, …')
    expect(() => subject.check(suites('b', 'a'))).not.toThrow()
  })
})

/** Writes a file of recorded answers. */
async function write(content: string | Uint8Array): Promise<string> {
  const path = join(folder, 'samples.jsonl')
  await writeFile(path, content)
  return path
}

const lines = (...values: unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')

/** Returns the first two answers to case a. */
async function twoAnswers(content: string | Uint8Array): Promise<string[]> {
  const subject = await openReplay('r', await write(content), null)
  return Promise.all([0, 1].map(async (i) => (await subject.answer(ask('a', i))).text))
}

describe('replaying samples', () => {
  it('waits for no pipe and reads no device', async () => {
    const [pipe, zero] = [join(folder, 'pipe.jsonl'), join(folder, 'zero.jsonl')]
    execFileSync('mkfifo', [pipe])
    await symlink('/dev/zero', zero)
    for (const path of [pipe, zero])
      await expect(openReplay('r', path, null)).rejects.toThrow('is not an ordinary file')
  })

  it('gives the samples of a task in the order of the file, in whatever suite', async () => {
    const path = await write(
      lines(
        { task_id: 'HumanEval/0', completion: '  return 1\n', passed: true },
        { task_id: 7, solution: 'def f(): pass' },
        { task_id: 'HumanEval/0', completion: '' },
      ),
    )
    const subject = await openReplay('r', path, null)
    expect(await subject.answer(ask('HumanEval/0', 0, 'any'))).toEqual({
      text: '  return 1\n',
      stop: 'end',
      usage: null,
      usd: null,
      spentUsd: 0,
      ms: 0,
    })
    expect(await subject.answer(ask('HumanEval/0', 1))).toMatchObject({ text: '' })
    expect(await subject.answer(ask('7', 0))).toMatchObject({ text: 'def f(): pass' })
    await expect(subject.answer(ask('HumanEval/0', 2))).rejects.toMatchObject({
      reason: 'no-answer',
    })
    expect(() => subject.check(suites('x'))).toThrow('it has answers to HumanEval/0, 7')
  })

  it('reads the same from a gzipped file, a file with a byte order mark, and one without a last newline', async () => {
    const text = lines(
      { task_id: 'a', completion: '😀' },
      { task_id: 'a', completion: 'é' },
    ).trimEnd()
    expect(await twoAnswers(text)).toEqual(['😀', 'é'])
    expect(await twoAnswers(`\ufeff${text.replace('\n', '\r\n\r\n')}`)).toEqual(['😀', 'é'])
    expect(await twoAnswers(gzipSync(text))).toEqual(['😀', 'é'])
  })

  it('keeps text whole that is cut by the blocks it is read in', async () => {
    const completion = '😀é'.repeat(200_000)
    const subject = await openReplay('r', await write(lines({ task_id: 'a', completion })), null)
    expect((await subject.answer(ask('a', 0))).text).toBe(completion)
  })

  it.each([
    ['nonsense', ':1: expected a JSON object'],
    [`${JSON.stringify({ task_id: 'a', completion: 'x' })}\n[]`, ':2: expected a JSON object'],
    ['{"completion": "x"}', ':1: expected a task_id'],
    ['{"task_id": "a"}', ':1: expected a completion or a solution'],
    ['{"task_id": "a", "completion": 1}', ':1: expected a completion'],
    ['\n\n', 'are empty'],
    [gzipSync('{"task_id": "a", "completion": "x"}').subarray(0, 20), 'cannot be read'],
  ])('refuses %j', async (content, message) => {
    const path = await write(content)
    await expect(openReplay('r', path, null)).rejects.toThrow(UsageError)
    await expect(openReplay('r', path, null)).rejects.toThrow(message)
  })

  it('refuses archives that would fill the memory', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000, 'x'))
    const path = await write(bomb)
    await expect(openRecordedAnswers(path, { line: 1e9, bytes: 1e6 })).rejects.toThrow(
      'holds more than',
    )
    await expect(openRecordedAnswers(path, { line: 1e6, bytes: 1e9 })).rejects.toThrow(
      'has a line of more',
    )
  })

  it('has no subjects to choose from', async () => {
    const path = await write(lines({ task_id: 'a', completion: 'x' }))
    await expect(openReplay('r', path, 'm')).rejects.toThrow('is a file')
  })
})
