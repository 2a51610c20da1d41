/**
 * Waits are reported. Giving up on a provider gives one message. A problem with one provider or one case does not
 * stop the others. The tests use real HTTP and a clock whose sleeps take no time.
 *
 * The tests also cover: rate limits and outages that ask to wait in headers or in the body
 * (subject/model/retry-after.ts), also with a 503; retries (ask.ts); judges, which share pools (judge-requests.ts);
 * pending answers and regrading, which send no requests to subjects (schedule.ts); the answer cache, which sends
 * none either; commands and agents, which are not tested with one trial first; the report of a run that gave up on
 * a provider (read-run.ts).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SubjectError, type Case, type Subject, type Trial } from '@assay/contract'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fakeCase, fakeSubject, fakeSuite, saying, skippingClock } from '../../../test/fakes.ts'
import {
  answerFromPrompt,
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
} from '../../../test/model-server/index.ts'
import { lastRevision, readRecord, readTrials } from '../../log/index.ts'
import { readRun } from '../../report/index.ts'
import { loadPrices, modelSubject, type Prices } from '../../subject/index.ts'
import type { RunOptions } from '../run-options.ts'
import { run } from '../run.ts'
import type { RunEvent } from './events.ts'

let prices: Prices
let folder: string
const servers: ModelServer[] = []

beforeAll(async () => {
  prices = await loadPrices()
})
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'assay-waits-')), 'run')
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
  rmSync(join(folder, '..'), { recursive: true, force: true })
})

async function serve(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = await startModelServer({ answer: answerFromPrompt(), ...options })
  servers.push(server)
  return server
}

/** A hosted model, which is retried because a server that is down may come back. */
const model = (origin: string, id = 'openai/gpt-4o', change: Partial<Subject> = {}): Subject =>
  Object.assign(
    modelSubject({
      id,
      model: 'openai/gpt-4o',
      prices,
      api: 'chat',
      env: { OPENAI_API_KEY: 'sk-test-Zk3vQ8wN5tYb7LmR2cXe9HdU' },
      baseUrl: `${origin}/v1`,
    }),
    { pool: id, ...change },
  )

const cases = (count: number) =>
  fakeSuite(
    Array.from({ length: count }, (_, i) =>
      fakeCase(`case ${i}`, { turns: [`case ${i}. Answer with: right`] }),
    ),
  )

async function go(options: Partial<RunOptions>) {
  const events: RunEvent[] = []
  const result = await run({
    suites: [cases(8)],
    subjects: [],
    folder,
    trials: 1,
    clock: skippingClock(),
    onEvent: (event) => events.push(event),
    ...options,
  })
  const trials: Trial[] = []
  await readTrials(folder, (trial) => trials.push(trial))
  const of = <T extends RunEvent['type']>(type: T) =>
    events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type)
  return { ...result, events, of, trials }
}

const limited = (seconds: string): NonNullable<ModelServerOptions['script']> => {
  const reply = {
    status: 429,
    headers: { 'retry-after': seconds },
    body: '{"error":{"message":"slow down"}}',
  }
  return ({ number }) => (number === 2 ? { kind: 'raw', reply } : null)
}

describe('one 429 with retry-after', () => {
  it('is shown: who, why, until when, and how many trials wait', async () => {
    const { origin } = await serve({ script: limited('120') })
    const clock = skippingClock()
    const { of, tally, ended, record } = await go({
      subjects: [model(origin)],
      clock,
      parallelism: 1,
    })
    expect([ended, tally.counts().passed]).toEqual(['complete', 8])
    const [wait] = of('wait')
    expect(of('wait')).toHaveLength(1)
    expect(wait).toMatchObject({ provider: 'openai/gpt-4o', trials: 7 })
    expect(wait?.why).toContain('429 Too Many Requests: slow down')
    expect(Date.parse(wait?.until ?? '')).toBeLessThan(clock.now())
    // The record has one entry for the provider.
    const { why, until } = wait ?? {}
    expect(record.waits).toEqual([
      {
        provider: 'openai/gpt-4o',
        waits: 1,
        from: expect.any(String),
        until,
        why,
        trials: 7,
      },
    ])
    expect(readRecord(folder).waits).toEqual(record.waits)
    const { report } = await readRun(folder)
    expect(report.notes.join('\n')).toMatch(/waited 1 time for openai\/gpt-4o, from /)
  })

  it('of an hour errors the provider’s trials as rate-limited and others go on; a resume completes it', async () => {
    const slow = await serve({ script: limited('3600') })
    const other = await serve()
    const subjects = () => [model(slow.origin, 'openai/slow'), model(other.origin, 'openai/other')]
    const clock = skippingClock()
    const first = await go({ subjects: subjects(), clock, parallelism: 1 })
    expect(first.ended).toBe('partial')
    expect(clock.slept).toBeLessThan(600_000)
    expect(first.tally.counts()).toMatchObject({ passed: 9, errored: 7, cancelled: 0 })
    const lost = first.trials.filter(({ outcome }) => outcome === 'errored')
    for (const { subject, reason } of lost) {
      expect([subject, reason?.code]).toEqual(['openai/slow', 'rate-limited'])
      expect(reason?.text).toContain('429')
    }
    expect(first.of('give-up')).toMatchObject([
      { provider: 'openai/slow', code: 'rate-limited', trials: 7 },
    ])
    expect(first.record).toMatchObject({
      ended: { how: 'partial' },
      waits: [{ provider: 'openai/slow', gaveUp: true }],
    })
    expect((await readRun(folder)).report.notes.join('\n')).toContain('given up: openai/slow asks')

    await slow.close()
    servers.splice(servers.indexOf(slow), 1)
    const well = await serve()
    const again = await go({
      subjects: [model(well.origin, 'openai/slow'), model(other.origin, 'openai/other')],
      resume: true,
      allowChanged: true,
    })
    expect([again.ended, again.tally.counts().passed]).toEqual(['complete', 16])
    expect((await readRun(folder)).report.notes.join('\n')).not.toContain('given up')
  })

  it('is waited for where --max-wait allows it', async () => {
    const { origin } = await serve({ script: limited('3600') })
    const clock = skippingClock()
    const { ended, tally } = await go({
      subjects: [model(origin)],
      clock,
      parallelism: 1,
      maxWaitMs: 24 * 3_600_000,
    })
    expect([ended, tally.counts().passed]).toEqual(['complete', 8])
    expect(clock.slept).toBeGreaterThan(3_600_000)
  })
})

describe('a provider that has never answered', () => {
  it.each([
    ['is down', 'provider-error', 'reset'],
    ['sends what cannot be read', 'bad-reply', 'malformed'],
  ] as const)(
    'and %s is probed by one trial with its retries; then all are errored with one message',
    async (_, code, fault) => {
      const down = await serve({ script: () => fault })
      const other = await serve()
      const clock = skippingClock()
      const { ended, of, tally, trials } = await go({
        subjects: [model(down.origin, 'openai/down'), model(other.origin, 'openai/other')],
        clock,
      })
      expect(ended).toBe('partial')
      expect([down.counts.requests, down.counts.mostInFlight]).toEqual([6, 1])
      expect(tally.counts()).toMatchObject({ passed: 8, errored: 8, cancelled: 0 })
      expect(of('give-up')).toHaveLength(1)
      expect(of('give-up')[0]?.text).toMatch(/^openai\/down has not answered once: /)
      const lost = trials.filter(({ subject }) => subject === 'openai/down')
      expect(lost.map(({ reason }) => reason?.code)).toEqual(Array(8).fill(code))
      // The first trial has all its attempts. The other trials were never sent.
      const attempts = lost.map((trial) => trial.attempts?.length ?? 0)
      expect([attempts.filter((n) => n === 0).length, Math.max(...attempts)]).toEqual([7, 6])
    },
  )

  it('gets all its trials at once after the first answer', async () => {
    const held: (() => void)[] = []
    const server = await serve({
      answer: ({ number }) =>
        number === 1
          ? 'right'
          : new Promise((resolve) => {
              held.push(() => resolve('right'))
              if (held.length === 7) for (const release of held) release()
            }),
    })
    const { tally } = await go({ subjects: [model(server.origin)], parallelism: 100 })
    expect(tally.counts().passed).toBe(8)
    expect(server.counts.mostInFlight).toBe(7)
  })

  it('does not hold back commands and agents', async () => {
    let active = 0
    let most = 0
    const subject = fakeSubject(async () => {
      most = Math.max(most, ++active)
      await new Promise((resolve) => setImmediate(resolve))
      active--
      return saying('right')
    })
    await go({ subjects: [subject] })
    expect(most).toBe(4)
  })
})

describe('-p', () => {
  it('is used as it was given, is in the record, and every default is told', async () => {
    let active = 0
    let most = 0
    const held: (() => void)[] = []
    const subject = fakeSubject(
      async () => {
        most = Math.max(most, ++active)
        if (active === 300) for (const free of held.splice(0)) free()
        else await new Promise<void>((resolve) => held.push(resolve))
        return saying('right')
      },
      { concurrency: { start: 2, most: 64 } },
    )
    const { of, record } = await go({ subjects: [subject], suites: [cases(300)], parallelism: 300 })
    expect(most).toBe(300)
    expect(of('start')[0]?.parallelism).toEqual({ fake: { start: 300, most: 300 } })
    expect(lastRevision(record).parallelism).toBe(300)
  })

  it('without it the provider’s own limits are told', async () => {
    const subject = fakeSubject(() => saying('right'), { concurrency: { start: 2, most: 64 } })
    const { of, record } = await go({ subjects: [subject] })
    expect(of('start')[0]?.parallelism).toEqual({ fake: { start: 2, most: 64 } })
    expect(lastRevision(record)).not.toHaveProperty('parallelism')
  })
})

describe('--budget', () => {
  it('0.30 runs three of ten answers that cost $0.09 each, and says what it came to', async () => {
    const subject = fakeSubject(() => saying('right', { usd: 0.09 }), { estimateUsd: () => 0.5 })
    const { ended, tally, budget, of } = await go({
      subjects: [subject],
      suites: [cases(10)],
      budgetUsd: 0.3,
    })
    expect([ended, tally.counts().passed]).toEqual(['budget', 3])
    const state = { limitUsd: 0.3, spentUsd: 0.27, reservedUsd: 0, expectedUsd: 0.09 }
    expect(budget).toEqual({ ...state, subject: 'fake' })
    expect(of('end')).toEqual([{ type: 'end', how: 'budget', budget }])
    // Resuming with the same budget sends no request, because the cost of an answer is known now.
    const asked = subject.asked.length
    const again = await go({
      subjects: [subject],
      suites: [cases(10)],
      budgetUsd: 0.3,
      resume: true,
    })
    expect([again.ended, subject.asked.length]).toEqual(['budget', asked])
  })

  it('counts a trial that was killed at what its provider reported, also after a resume', async () => {
    const stop = new AbortController()
    const subject = fakeSubject(async ({ signal }) => {
      stop.abort()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw new SubjectError('stopped', {
        reason: 'not-started',
        retry: false,
        spentUsd: 0.04,
      })
    })
    const first = await go({
      subjects: [subject],
      suites: [cases(1)],
      signal: stop.signal,
      graceMs: 1,
    })
    expect([first.ended, first.trials.length]).toEqual(['interrupted', 0])
    expect(first.tally.spentUsd).toBeCloseTo(0.04)
    expect((await readRun(folder)).report.spentUsd).toBeCloseTo(0.04)
    const well = fakeSubject(() => saying('right', { usd: 0.01 }), { estimateUsd: () => 0.01 })
    const options = { subjects: [well], suites: [cases(1)], resume: true }
    const poor = await go({ ...options, budgetUsd: 0.04 })
    expect([poor.ended, well.asked.length]).toEqual(['budget', 0])
    const rich = await go({ ...options, budgetUsd: 0.05 })
    expect(rich.ended).toBe('complete')
    expect((await readRun(folder)).report.spentUsd).toBeCloseTo(0.05)
  })
})

describe('one case', () => {
  it('whose setup fails is errored alone', async () => {
    const subject = fakeSubject(({ case: { id } }) => {
      if (id === 'case 3')
        throw new SubjectError('the setup command "false" ended with exit code 1', {
          reason: 'workspace-failed',
          retry: false,
        })
      return saying('right')
    })
    const { ended, tally } = await go({ subjects: [subject], trials: 5 })
    expect(ended).toBe('complete')
    expect(tally.counts()).toMatchObject({ passed: 35, errored: 5, cancelled: 0 })
  })

  it('with a package that is missing is errored alone, and nobody is asked for it', async () => {
    const lacking = fakeCase('lacking', {
      language: 'javascript',
      dependencies: [{ name: 'no-such-package', version: '1.0.0', features: [] }],
      graders: [
        { name: 'code', type: 'code', weight: 1, required: false, options: {} },
      ] as unknown as Case['graders'],
    })
    const subject = fakeSubject(() => saying('right'))
    const suites = [fakeSuite([...cases(3).cases, lacking], { path: join(folder, '..', 's.toml') })]
    const { ended, tally, trials, of } = await go({
      subjects: [subject],
      suites,
      trials: 4,
      sandbox: 'none',
    })
    expect(ended).toBe('complete')
    expect(tally.counts()).toMatchObject({ passed: 12, errored: 4, cancelled: 0 })
    expect(subject.asked).toHaveLength(12)
    const { reason } = trials.find(({ case: id }) => id === 'lacking') ?? {}
    expect(reason?.code).toBe('sandbox-failed')
    expect(reason?.text).toContain('no-such-package')
    expect(of('warning').map(({ text }) => text)).toEqual([
      expect.stringMatching(/case lacking: no-such-package.*others go on$/),
    ])
    // If no case can be graded, the run does not start.
    rmSync(folder, { recursive: true })
    const alone = [fakeSuite([lacking], { path: join(folder, '..', 's.toml') })]
    await expect(go({ subjects: [subject], suites: alone, sandbox: 'none' })).rejects.toThrow(
      'this run cannot grade its code',
    )
  })
})

describe('a reply', () => {
  it('with bytes that are not valid UTF-8 is stated on its trial', async () => {
    const server = await serve({
      script: ({ number }) =>
        number === 2
          ? {
              kind: 'raw',
              reply: {
                status: 200,
                body: Buffer.from(
                  '{"id":"1","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"right\xff"},"finish_reason":"stop"}]}',
                  'latin1',
                ),
              },
            }
          : null,
    })
    const { trials } = await go({ subjects: [model(server.origin)], suites: [cases(2)] })
    const remarks = new Map(trials.map(({ answer, remarks: said = [] }) => [answer, said]))
    expect(remarks).toEqual(
      new Map([
        ['right', []],
        ['right\ufffd', [expect.stringContaining('not valid UTF-8')]],
      ]),
    )
  })
})
