import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SubjectError, type Identity, type Subject, type Trial } from '@assay/contract'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fakeCase, fakeSubject, fakeSuite, saying, skippingClock } from '../../../test/fakes.ts'
import { readTrials } from '../../log/index.ts'
import type { Pending } from '../resume/pending.ts'
import { run } from '../run.ts'
import { RETRY_POLICY } from '../schedule/backoff.ts'
import { Budget } from '../schedule/budget.ts'
import { trialRunner } from './run-trial.ts'
import type { ProviderSlots, TrialServices } from './trial-services.ts'

/** Slots of a provider that is always free. */
const freeSlots = (): ProviderSlots => ({
  givenUp: null,
  over: new AbortController().signal,
  holdMs: () => 0,
  enter: async () => {},
  leave: () => {},
  rest: () => {},
  resume: () => {},
  succeeded: () => {},
  failed: () => {},
})

/** Trials that run without a plan, a tally and a run folder. What they keep is in memory, in order. */
function elsewhere() {
  const kept: (readonly ['answer', Pending] | readonly ['trial', Trial, boolean])[] = []
  const services: TrialServices = {
    store: {
      redact: (text) => text,
      maskedAnswer: (answer) => ({ answer, masked: [] }),
      text: async (text) => text,
      maskedText: async (text) => text,
      keepAnswer: async (pending) => void kept.push(['answer', pending]),
      record: async (trial, wasPending) => {
        kept.push(['trial', trial, wasPending])
        return trial
      },
    },
    budget: new Budget(null, 0),
    judges: [],
    redactFor: () => (text) => text,
    usdOfFirstAnswer: () => undefined,
    readKept: async (text) => text as string,
    regrading: false,
    seed: 1,
    spentOnStopped: () => {},
    timeoutMs: 1000,
    agentTimeoutMs: 1000,
    timeoutOf: () => 1000,
    gradeTimeoutMs: 1000,
    sandbox: null,
    sandboxGraders: false,
    workspaces: null,
    cache: null,
    clock: skippingClock(),
    policy: RETRY_POLICY,
    warn: () => {},
  }
  const runner = trialRunner(services, new Map(), new AbortController().signal, {
    answered: () => {},
    released: () => {},
    settled: () => {},
    outOfBudget: () => {},
  })
  return { kept, runner }
}

/** Draws from the trial's own stream, retries once, and gives no answer to one case. */
function moody(): Subject {
  const failed = new Set<string>()
  return fakeSubject(
    ({ random, case: { id }, index }) => {
      const again = `${id} ${index}`
      if (index === 1 && !failed.has(again)) {
        failed.add(again)
        throw new SubjectError('busy', { reason: 'rate-limited', retry: true, status: 429 })
      }
      if (id === 'c2') throw new SubjectError('none', { reason: 'no-answer', retry: false })
      return saying(random() < 0.5 ? 'right' : 'wrong')
    },
    { source: 'live' },
  )
}

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-trial-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const key = ({ case: id, index }: Identity): string => `${id} ${index}`

/** A trial without its times. */
const timeless = ({ time: _time, attempts = [], ...trial }: Trial) => ({
  ...trial,
  attempts: attempts.map(({ status, usd }) => ({ status, usd })),
})

it('a trial that runs elsewhere is the same as in a run on this machine', async () => {
  const suite = fakeSuite([...fakeSuite(4).cases, fakeCase('open', { graders: [] })])
  await run({
    suites: [suite],
    subjects: [moody()],
    folder: join(folder, 'run'),
    trials: 3,
    maxErrors: 1,
    clock: skippingClock(),
  })
  const local = new Map<string, unknown>()
  await readTrials(join(folder, 'run'), (trial) => local.set(key(trial), timeless(trial)))
  const subject = moody()
  const { kept, runner } = elsewhere()
  for (const one of suite.cases)
    for (let index = 0; index < 3; index++)
      await runner.conduct(index, { suite, case: one, subject }, freeSlots(), null, undefined)
  const trials = kept.flatMap((one) => (one[0] === 'trial' ? [one[1]] : []))
  expect(new Map(trials.map((trial) => [key(trial), timeless(trial)]))).toEqual(local)
  expect(new Set(trials.map(({ outcome }) => outcome)).size).toBe(4)
})

it('keeps a paid answer before it is graded, and grades a kept answer without asking', async () => {
  const suite = fakeSuite(1)
  const [one] = suite.cases as [(typeof suite.cases)[number]]
  let asked = 0
  const subject = fakeSubject(() => (asked++, saying('right')), { source: 'live' })
  const first = elsewhere()
  const cell = { suite, case: one, subject }
  await first.runner.conduct(0, cell, freeSlots(), null, undefined)
  expect(first.kept.map(([what]) => what)).toEqual(['answer', 'trial'])
  expect(first.kept[1]?.[2]).toBe(true)
  const second = elsewhere()
  const answer = first.kept[0]?.[1] as Pending
  const trial = await second.runner.conduct(0, cell, freeSlots(), null, answer)
  expect(trial).toMatchObject({ outcome: 'passed', answer: 'right' })
  expect({ asked, kept: second.kept.length }).toEqual({ asked: 1, kept: 1 })
})

it('records a trial that is lost before its subject is asked as errored', async () => {
  const suite = fakeSuite(1)
  const [one] = suite.cases as [(typeof suite.cases)[number]]
  const subject = fakeSubject(() => saying('right'))
  const { kept, runner } = elsewhere()
  const error = new SubjectError('no compiler', { reason: 'sandbox-failed', retry: false })
  await runner.lose(4, { suite, case: one, subject }, error)
  expect(kept).toMatchObject([
    ['trial', { index: 4, outcome: 'errored', reason: { code: 'sandbox-failed' } }, false],
  ])
})
