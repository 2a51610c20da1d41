/** Tests the model subject against a real server on the loopback interface, with every API and every fault. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { testAsk, testCase } from '../../../test/ask.ts'
import {
  startModelServer,
  WIRE_APIS,
  type Fault,
  type ModelServer,
  type ModelServerOptions,
  type WireApi,
} from '../../../test/model-server/index.ts'
import { type Subject, SubjectError } from '@assay/contract'
import { modelSubject, type ModelOptions } from './model.ts'
import { loadPrices, type Prices } from './prices.ts'

const KEY = 'sk-test-Q7dW2mZp9LxT4vBn8RcY1aEu'
const MODELS: Readonly<Record<WireApi, string>> = {
  chat: 'openai/gpt-4o',
  responses: 'openai/gpt-4o',
  anthropic: 'anthropic/claude-opus-4-5',
  google: 'google/gemini-2.5-flash',
}
const ENV = {
  OPENAI_API_KEY: KEY,
  ANTHROPIC_API_KEY: KEY,
  GOOGLE_GENERATIVE_AI_API_KEY: KEY,
  OPENROUTER_API_KEY: KEY,
}

let prices: Prices
beforeAll(async () => {
  prices = await loadPrices()
})

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function serve(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = await startModelServer(options)
  open.push(server)
  return server
}

function subjectAt(server: ModelServer, api: WireApi, more: Partial<ModelOptions> = {}): Subject {
  const version = api === 'google' ? '/v1beta' : '/v1'
  const subject = modelSubject({
    model: MODELS[api],
    prices,
    env: ENV,
    baseUrl: `${server.origin}${version}`,
    ...(api === 'chat' || api === 'responses' ? { api } : {}),
    ...more,
  })
  open.push(subject)
  return subject
}

async function failureOf(promise: Promise<unknown>): Promise<SubjectError> {
  const error: unknown = await promise.then(
    () => new Error('there was an answer'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(SubjectError)
  return error as SubjectError
}

describe.each(WIRE_APIS)('a model asked by %s', (api) => {
  it('answers with the text, the usage and the cost', async () => {
    const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 50, reasoning: 20 }
    const server = await serve({ answer: () => ({ text: 'four', usage }) })
    const answer = await subjectAt(server, api).answer(testAsk())
    expect(answer).toMatchObject({ text: 'four', stop: 'end', usage })
    const price = { chat: [2.5, 10], responses: [2.5, 10], anthropic: [5, 25], google: [0.3, 2.5] }[
      api
    ]
    expect(answer.usd).toBeCloseTo((100 * (price[0] ?? 0) + 50 * (price[1] ?? 0)) / 1e6, 12)
    expect(server.counts).toMatchObject({ requests: 1, replied: 1, inFlight: 0 })
  })

  it('counts cached input once', async () => {
    const cacheWrite = api === 'google' ? 0 : 300
    const usage = { input: 100, cacheRead: 2000, cacheWrite, output: 50, reasoning: 0 }
    const server = await serve({ answer: () => ({ text: 'four', usage }) })
    expect((await subjectAt(server, api).answer(testAsk())).usage).toEqual(usage)
  })

  it('sends the messages, the parameters and the key', async () => {
    const server = await serve()
    const subject = subjectAt(server, api, {
      parameters: { temperature: 0.5, maxTokens: 321, system: 'Be brief.', seed: 40 },
    })
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: 'What is 2 + 2?' },
    ] as const
    await subject.answer(testAsk({ messages, index: 2, maxTokens: 9 }))
    const [request] = server.requests
    expect(request).toMatchObject({ prompt: 'What is 2 + 2?', system: 'Be brief.' })
    expect(JSON.stringify(request?.headers)).toContain(KEY)
    const body = JSON.stringify(request?.body)
    expect(body).toContain('"temperature":0.5')
    expect(body).toMatch(/"(max_tokens|max_output_tokens|maxOutputTokens)":321/u)
    expect(body).toContain('Yes?')
    // The seed of trial 2 is the subject's seed plus 2. The two other APIs have no seed.
    if (api === 'chat' || api === 'google') expect(request?.seed).toBe(42)
  })

  it.each([
    ['429', 'rate-limited', true, 429, null],
    ['429-seconds', 'rate-limited', true, 429, 3000],
    ['429-date', 'rate-limited', true, 429, 5000],
    ['429-ms', 'rate-limited', true, 429, 250],
    ['429-headers', 'rate-limited', true, 429, 7000],
    ['500', 'provider-error', true, 500, null],
    ['503', 'provider-error', true, 503, 2000],
    ['529', 'provider-error', true, 529, null],
    ['502-html', 'provider-error', true, 502, null],
    ['408', 'provider-error', true, 408, null],
    ['409', 'provider-error', true, 409, null],
    ['reset', 'provider-error', true, null, null],
    ['reset-mid-body', 'provider-error', true, null, null],
    ['error-body', 'provider-error', true, 200, null],
    ['malformed', 'bad-reply', true, 200, null],
    ['empty-body', 'bad-reply', true, 200, null],
    ['not-an-answer', 'bad-reply', true, 200, null],
    ['400', 'request-refused', false, 400, null],
    ['401', 'request-refused', false, 401, null],
    ['403', 'request-refused', false, 403, null],
    ['404', 'request-refused', false, 404, null],
    ['422', 'request-refused', false, 422, null],
    ['redirect', 'request-refused', false, 307, null],
  ] as const)('makes of the fault %s: %s', async (fault, reason, retry, status, retryAfterMs) => {
    const now = Date.now()
    const server = await serve({ script: [fault], now: () => now })
    const error = await failureOf(subjectAt(server, api, { now: () => now }).answer(testAsk()))
    expect(error).toMatchObject({ reason, retry, status, retryAfterMs, usage: null, usd: null })
    expect(error.message).toContain(MODELS[api])
    expect(error.message.length).toBeLessThan(700)
    expect(server.counts.requests).toBe(1)
  })

  it.each(['hang', 'hang-mid-body'] as const)(
    'gives up on a %s by its own deadline',
    async (fault) => {
      const server = await serve({ script: [fault] })
      const error = await failureOf(subjectAt(server, api).answer(testAsk({ timeoutMs: 300 })))
      expect(error).toMatchObject({ reason: 'provider-timeout', retry: true, status: null })
    },
  )

  it('throws the reason of the caller’s own signal, before and during the request', async () => {
    const server = await serve({ script: ['hang'] })
    const subject = subjectAt(server, api)
    const stop = new AbortController()
    const why = new Error('the run is stopping')
    const answer = subject.answer(testAsk({ signal: stop.signal }))
    while (server.counts.requests === 0) await new Promise((resolve) => setImmediate(resolve))
    stop.abort(why)
    await expect(answer).rejects.toBe(why)
    await expect(subject.answer(testAsk({ signal: stop.signal }))).rejects.toBe(why)
    expect(server.counts.requests).toBe(1)
  })

  it.each(['echo-key', 'echo-key-200'] as const)('keeps the key out of %s', async (fault) => {
    const server = await serve({ script: [fault] })
    const error = await failureOf(subjectAt(server, api).answer(testAsk()))
    const shown = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`
    expect(shown).toContain('[secret]')
    for (const piece of [KEY, KEY.slice(0, 12), KEY.slice(-4)]) expect(shown).not.toContain(piece)
  })

  it('answers as the model did, and keeps the key out of its configuration', async () => {
    const server = await serve({ answer: () => `your key is ${KEY}` })
    const subject = subjectAt(server, api)
    expect((await subject.answer(testAsk())).text).toBe(`your key is ${KEY}`)
    expect(JSON.stringify([subject.config, subject.id, subject.pool])).not.toContain(KEY)
    expect(subject.secrets).toEqual([KEY])
  })

  it.each([
    ['empty', '', 'end'],
    ['length', 'four', 'length'],
    ['filter', '', 'filter'],
  ] as const)('calls %s an answer, not an error', async (fault, text, stop) => {
    const server = await serve({ script: [fault], answer: () => 'four' })
    expect(await subjectAt(server, api).answer(testAsk())).toMatchObject({ text, stop })
  })

  it('tells a refusal from a filter', async () => {
    const server = await serve({ script: ['refusal'] })
    const answer = await subjectAt(server, api).answer(testAsk())
    // Google's API has no stop reason for a refusal, so it counts as a content filter.
    const stop = api === 'google' ? 'filter' : 'refusal'
    expect(answer).toMatchObject({ text: 'I cannot help with that.', stop })
  })

  it.each([
    'usage-missing',
    'usage-empty',
    'usage-negative',
    'usage-strings',
    'usage-fraction',
    'usage-huge',
    'usage-nan',
    'usage-null',
  ] satisfies Fault[])('keeps the answer and no number of %s', async (fault) => {
    const server = await serve({ script: [fault], answer: () => 'four' })
    const answer = await subjectAt(server, api).answer(testAsk())
    expect(answer).toMatchObject({ text: 'four', stop: 'end', usage: null, usd: null })
  })

  it('answers again after a failure, and many at once', async () => {
    const server = await serve({ script: ['500', 'reset', null] })
    const subject = subjectAt(server, api)
    await failureOf(subject.answer(testAsk()))
    await failureOf(subject.answer(testAsk()))
    const turns = Array.from({ length: 20 }, (_, i) => `Question ${i}`)
    const answers = await Promise.all(
      turns.map((turn) => subject.answer(testAsk({ case: testCase({ turns: [turn] }) }))),
    )
    expect(answers.map(({ text }) => text)).toEqual(turns.map((turn) => `You said: ${turn}`))
  })
})
