/**
 * Runs of 500 trials over real HTTP with every kind of fault: no trial is lost, and no request is repeated too often.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeCase, fakeSuite, skippingClock } from '../../../test/fakes.ts'
import { MEMORY } from '../../../test/memory-folder.ts'
import { drawFault, type Fault } from '../../../test/model-server/faults.ts'
import {
  answerFromPrompt,
  startModelServer,
  WIRE_APIS,
  type ModelRequest,
  type ModelServer,
  type WireApi,
} from '../../../test/model-server/index.ts'
import type { Outcome, ReasonCode, Subject, Trial } from '@assay/contract'
import { readTrials } from '../../log/index.ts'
import { loadPrices, modelSubject, type Prices } from '../../subject/index.ts'
import { RETRY_POLICY } from './backoff.ts'
import { run } from '../run.ts'

const KEY = 'sk-test-Zk3vQ8wN5tYb7LmR2cXe9HdU'
const TRIALS = 500
const MODELS: Readonly<Record<WireApi, string>> = {
  chat: 'openai/gpt-4o',
  responses: 'openai/gpt-4o',
  anthropic: 'anthropic/claude-opus-4-5',
  google: 'google/gemini-2.5-flash',
}

/** The effect of a fault on the request: it is retried, it succeeds, or the trial ends with this outcome. */
type Meaning = 'again' | 'fine' | { readonly outcome: Outcome; readonly code: ReasonCode }
const refused = { outcome: 'errored', code: 'request-refused' } as const

const MEANING: Partial<Record<Fault, Meaning>> = {
  '429': 'again',
  '429-seconds': 'again',
  '429-date': 'again',
  '429-headers': 'again',
  '500': 'again',
  '503': 'again',
  '529': 'again',
  '502-html': 'again',
  reset: 'again',
  'reset-mid-body': 'again',
  hang: 'again',
  malformed: 'again',
  'not-an-answer': 'again',
  'empty-body': 'again',
  'error-body': 'again',
  '400': refused,
  '401': refused,
  '403': refused,
  '404': refused,
  'echo-key': refused,
  empty: { outcome: 'failed', code: 'empty-answer' },
  filter: { outcome: 'failed', code: 'filtered' },
  refusal: { outcome: 'failed', code: 'refused' },
  length: { outcome: 'failed', code: 'truncated' },
  'usage-missing': 'fine',
  'usage-negative': 'fine',
  'usage-strings': 'fine',
  'usage-huge': 'fine',
}

const MIXES: Readonly<Record<string, Partial<Record<Fault, number>>>> = {
  'rate limits': { '429': 0.2, '429-seconds': 0.1, '429-date': 0.1, '429-headers': 0.1 },
  'server errors': { '500': 0.2, '503': 0.1, '529': 0.1, '502-html': 0.1 },
  'broken connections': { reset: 0.1, 'reset-mid-body': 0.1, hang: 0.01 },
  'unreadable replies': {
    malformed: 0.1,
    'not-an-answer': 0.1,
    'empty-body': 0.1,
    'error-body': 0.1,
  },
  'refused requests': { '400': 0.1, '401': 0.1, '403': 0.1, '404': 0.1, 'echo-key': 0.1 },
  'answers that fail': { empty: 0.1, filter: 0.1, refusal: 0.1, length: 0.1 },
  'wrong usage': {
    'usage-missing': 0.2,
    'usage-negative': 0.2,
    'usage-strings': 0.2,
    'usage-huge': 0.2,
  },
  'a bad day': { '429': 0.3, '500': 0.2, reset: 0.1, malformed: 0.1, empty: 0.05, '400': 0.05 },
}

let prices: Prices
let folder: string
let server: ModelServer

beforeAll(async () => {
  prices = await loadPrices()
})
beforeEach(() => {
  folder = mkdtempSync(join(MEMORY, 'assay-faults-'))
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const TIMEOUT_MS = 120_000

/**
 * Lets the time limit of a request pass as soon as the server has received that request and will never answer it. The
 * time limit of all other requests is far away. With a short limit that really passes, a busy machine would exceed it
 * with requests that are answered, and each of these would be asked once more than the test expects.
 */
function timeoutsOnDemand() {
  /** What the time limit of the last request with this prompt does when it passes. */
  const passes = new Map<string, () => void>()
  return {
    watch(subject: Subject): void {
      const original = subject.answer.bind(subject)
      subject.answer = (ask) => {
        const timers = vi.spyOn(globalThis, 'setTimeout')
        const answer = original(ask)
        // The subject sets the limit before it returns.
        const limit = timers.mock.calls.find(([, ms]) => ms === TIMEOUT_MS)?.[0]
        timers.mockRestore()
        if (limit === undefined) throw new Error('the subject set no time limit')
        passes.set(String(ask.messages.at(-1)?.content), limit)
        return answer
      }
    },
    /** The time limit is over for the request with this prompt. */
    pass: (prompt: string): void => passes.get(prompt)?.(),
  }
}

const promptOf = (id: string): string => `${id}. Answer with: right`

/** The expected result of a case, given the faults that its requests meet. */
function foreseen(
  api: WireApi,
  mix: { seed: number; shares: Partial<Record<Fault, number>> },
  id: string,
) {
  const [, model = ''] = MODELS[api].split('/')
  for (let attempt = 1; attempt <= RETRY_POLICY.attempts; attempt++) {
    const request = { model, prompt: promptOf(id), seed: null, attempt } as ModelRequest
    const fault = drawFault(mix, request)
    const meaning = fault === null ? 'fine' : MEANING[fault]
    if (meaning === undefined) throw new Error(`what does ${fault} mean?`)
    if (meaning === 'fine') return { outcome: 'passed', code: null, requests: attempt }
    if (meaning !== 'again') return { ...meaning, requests: attempt }
  }
  return { outcome: 'errored', code: null, requests: RETRY_POLICY.attempts }
}

const plans = Object.entries(MIXES).flatMap(([name, shares], i) =>
  // Every mix of faults in one wire format, and the worst mix in all of them.
  WIRE_APIS.filter((_, j) => name === 'a bad day' || j === i % WIRE_APIS.length).map((api) => ({
    name,
    shares,
    api,
  })),
)

describe.each(plans)('500 trials through $name, by $api', ({ shares, api }) => {
  it('are all accounted for, with the right outcome and no request too many', async () => {
    const mix = { seed: 1, shares }
    // If the first trial gets no answer at all, Assay gives up on the provider. So the server answers the first
    // request.
    let first = ''
    const timeouts = timeoutsOnDemand()
    server = await startModelServer({
      answer: answerFromPrompt(),
      mix,
      forget: true,
      script: (request) => {
        const { number, prompt } = request
        if (number > 1 && prompt !== first) {
          if (drawFault(mix, request) === 'hang') setImmediate(timeouts.pass, prompt)
          return null
        }
        first = prompt
        return { kind: 'reply', change: (reply) => reply }
      },
    })
    const subject = modelSubject({
      model: MODELS[api],
      prices,
      env: { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, GOOGLE_GENERATIVE_AI_API_KEY: KEY },
      baseUrl: `${server.origin}${api === 'google' ? '/v1beta' : '/v1'}`,
      ...(api === 'chat' || api === 'responses' ? { api } : {}),
    })
    timeouts.watch(subject)
    const cases = Array.from({ length: TRIALS }, (_, i) =>
      fakeCase(`case ${i}`, { turns: [promptOf(`case ${i}`)] }),
    )
    const path = join(folder, 'run')
    const { tally } = await run({
      suites: [fakeSuite(cases)],
      subjects: [subject],
      folder: path,
      trials: 1,
      timeoutMs: TIMEOUT_MS,
      maxErrors: 1,
      clock: skippingClock(),
    })
    const { planned, passed, failed, errored } = tally.counts()
    expect(planned).toBe(TRIALS)
    expect(passed + failed + errored).toBe(TRIALS)

    const trials = new Map<string, Trial>()
    await readTrials(path, (trial) => trials.set(trial.case, trial))
    let requests = 0
    for (const { id } of cases) {
      const expected =
        promptOf(id) === first
          ? { outcome: 'passed', code: null, requests: 1 }
          : foreseen(api, mix, id)
      requests += expected.requests
      const trial = trials.get(id)
      expect(`${id}: ${trial?.outcome}`).toBe(`${id}: ${expected.outcome}`)
      if (expected.code !== null) expect(trial?.reason?.code, id).toBe(expected.code)
      expect(trial?.attempts?.length ?? 1, id).toBe(expected.requests)
    }
    expect(server.counts.requests).toBe(requests)

    for (const file of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (file.isFile())
        expect(readFileSync(join(file.parentPath, file.name), 'utf8'), file.name).not.toContain(KEY)
  })
})
