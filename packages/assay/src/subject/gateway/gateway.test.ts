import { once } from 'node:events'
import http from 'node:http'
import zlib from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import {
  startRawProvider,
  type RawAnswer,
  type RawProvider,
  type RawRequest,
} from '../../../test/raw-provider.ts'
import { SubjectError, type AgentLimits, type ModelRequests, type Usage } from '@assay/contract'
import { Gateway, type OpenedTrial } from './gateway.ts'
import { MOST_PER_MINUTE } from './own-rate.ts'
import { upstreamsOf, FAMILIES } from './route.ts'

const KEY = 'sk-real-0123456789abcdef'

let opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.toReversed()) await one.close()
  opened = []
})

interface SetUp {
  readonly answer?: (number: number, request: RawRequest) => RawAnswer | Promise<RawAnswer>
  readonly limits?: Partial<AgentLimits> | undefined
  readonly requests?: ModelRequests | undefined
  readonly replyMs?: number
  readonly now?: () => number
  readonly stop?: () => void
}

interface Made extends OpenedTrial {
  readonly provider: RawProvider
  readonly gateway: Gateway
}

async function make({
  answer = () => ({}),
  limits,
  requests,
  replyMs,
  now,
  stop = () => {},
}: SetUp = {}): Promise<Made> {
  const provider = await startRawProvider((request, number) => answer(number, request))
  const env = {
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: provider.origin,
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: `${provider.origin}/v1`,
    GEMINI_API_KEY: KEY,
    GOOGLE_GEMINI_BASE_URL: provider.origin,
  }
  const price = (_: string, usage: Usage): number => (usage.input + 10 * usage.output) / 1000
  const gateway = new Gateway(upstreamsOf(FAMILIES, env), env, () => price, replyMs)
  const trial = await openTrial(gateway, {
    limits,
    requests,
    stop,
    ...(now === undefined ? {} : { now }),
  })
  opened.push(provider, gateway, trial)
  return { ...trial, provider, gateway }
}

const openTrial = (
  gateway: Gateway,
  {
    limits,
    requests,
    stop = () => {},
    now = () => performance.now(),
  }: Pick<SetUp, 'limits' | 'requests' | 'stop' | 'now'> = {},
): Promise<OpenedTrial> =>
  gateway.open({
    limits:
      limits === undefined
        ? null
        : { turns: null, toolCalls: null, tokens: null, usd: null, ...limits },
    requests,
    now,
    stop,
  })

// ── The four wire formats ────────────────────────────────────────────────────────────────────────────

const sse = (...events: readonly (object | string)[]): string =>
  events.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join('')

interface Format {
  readonly name: string
  readonly path: string
  readonly auth: (secret: string) => Record<string, string>
  readonly variable: string
  readonly address: string
  /** Everything in it has odd spacing, so that a rewritten body would differ. */
  readonly request: string
  readonly streamRequest: string
  readonly whole: object
  readonly stream: readonly object[]
  readonly end?: string
  /** The part of the stream before the provider breaks off. */
  readonly half: number
  readonly usage: Usage
}

const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` })

const FORMATS: readonly Format[] = [
  {
    name: 'anthropic',
    path: '/v1/messages?beta=true',
    auth: (secret) => ({ 'x-api-key': secret, 'anthropic-version': '2023-06-01' }),
    variable: 'ANTHROPIC_API_KEY',
    address: 'ANTHROPIC_BASE_URL',
    request: '{ "model":"claude-x",\n "max_tokens": 10, "messages": [] }',
    streamRequest: '{ "model":"claude-x",  "stream" : true, "messages": [] }',
    whole: {
      content: [{ type: 'text', text: 'Hi' }],
      usage: {
        input_tokens: 7,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 2,
        output_tokens: 5,
      },
    },
    stream: [
      {
        type: 'message_start',
        message: {
          usage: {
            input_tokens: 7,
            cache_read_input_tokens: 3,
            cache_creation_input_tokens: 2,
            output_tokens: 1,
          },
        },
      },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hé' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ],
    half: 2,
    usage: { input: 7, cacheRead: 3, cacheWrite: 2, output: 5, reasoning: 0 },
  },
  {
    name: 'chat',
    path: '/chat/completions',
    auth: bearer,
    variable: 'OPENAI_API_KEY',
    address: 'OPENAI_BASE_URL',
    request: '{ "model":"gpt-x", "messages": [] }',
    streamRequest:
      '{ "model":"gpt-x",  "stream" : true,"stream_options":{ "include_usage" : true } }',
    whole: {
      choices: [{ message: { content: 'Hi' } }],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 3 },
      },
    },
    stream: [
      { choices: [{ delta: { content: 'Hé' } }], usage: null },
      { choices: [{ delta: {}, finish_reason: 'stop' }], usage: null },
      {
        choices: [],
        usage: {
          prompt_tokens: 12,
          completion_tokens: 5,
          prompt_tokens_details: { cached_tokens: 3 },
        },
      },
    ],
    end: '[DONE]',
    half: 1,
    usage: { input: 9, cacheRead: 3, cacheWrite: 0, output: 5, reasoning: 0 },
  },
  {
    name: 'responses',
    path: '/responses',
    auth: bearer,
    variable: 'OPENAI_API_KEY',
    address: 'OPENAI_BASE_URL',
    request: '{ "model":"gpt-x", "input": "hi" }',
    streamRequest: '{ "model":"gpt-x", "stream":true, "input": "hi" }',
    whole: {
      output: [],
      usage: {
        input_tokens: 12,
        input_tokens_details: { cached_tokens: 3 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 2 },
      },
    },
    stream: [
      { type: 'response.created', response: {} },
      { type: 'response.output_text.delta', delta: 'Hé' },
      {
        type: 'response.completed',
        response: {
          usage: {
            input_tokens: 12,
            input_tokens_details: { cached_tokens: 3 },
            output_tokens: 5,
            output_tokens_details: { reasoning_tokens: 2 },
          },
        },
      },
    ],
    half: 2,
    usage: { input: 9, cacheRead: 3, cacheWrite: 0, output: 5, reasoning: 2 },
  },
  {
    name: 'google',
    path: '/v1beta/models/gemini-x:streamGenerateContent?alt=sse',
    auth: (secret) => ({ 'x-goog-api-key': secret }),
    variable: 'GEMINI_API_KEY',
    address: 'GOOGLE_GEMINI_BASE_URL',
    request: '{ "contents": [ ] }',
    streamRequest: '{  "contents": [] }',
    whole: {
      candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 12,
        cachedContentTokenCount: 3,
        candidatesTokenCount: 4,
        thoughtsTokenCount: 1,
        totalTokenCount: 17,
      },
    },
    stream: [
      { candidates: [{ content: { parts: [{ text: 'Hé' }] } }] },
      {
        candidates: [{ content: { parts: [] }, finishReason: 'STOP' }],
        usageMetadata: {
          promptTokenCount: 12,
          cachedContentTokenCount: 3,
          candidatesTokenCount: 4,
          thoughtsTokenCount: 1,
          totalTokenCount: 17,
        },
      },
    ],
    half: 1,
    usage: { input: 9, cacheRead: 3, cacheWrite: 0, output: 5, reasoning: 1 },
  },
]

const ask = (
  { env }: Pick<OpenedTrial, 'env'>,
  format: Format,
  change: {
    readonly body?: string
    readonly path?: string
    readonly secret?: string
    readonly headers?: Record<string, string>
    readonly method?: string
  } = {},
): Promise<Response> => {
  const {
    body = format.request,
    path = format.path,
    secret = env[format.variable] ?? '',
    method = 'POST',
  } = change
  return fetch(`${env[format.address]}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...format.auth(secret), ...change.headers },
    ...(method === 'GET' ? {} : { body }),
  })
}

const JSON_TYPE = { 'content-type': 'application/json' }
const SSE_TYPE = { 'content-type': 'text/event-stream; charset=utf-8' }

const [anthropic, chat] = FORMATS as [Format, Format]

/** Splits a text in the middle of its characters and events. */
const shredded = (text: string): Buffer[] => {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) =>
    bytes.subarray(i * 7, i * 7 + 7),
  )
}

describe.each(FORMATS)('a request in the format of $name', (format) => {
  it('passes through byte for byte, with the key in place of the secret, and is counted exactly', async () => {
    const reply = JSON.stringify(format.whole, null, 3)
    const made = await make({
      answer: () => ({ headers: { ...JSON_TYPE, 'x-request-id': 'r-1' }, chunks: shredded(reply) }),
    })
    const got = await ask(made, format)
    expect(await got.text()).toBe(reply)
    expect(got.headers.get('x-request-id')).toBe('r-1')
    const [sent] = made.provider.requests
    expect(sent?.body.toString()).toBe(format.request)
    expect(sent?.url).toBe(format.path.startsWith('/v1') ? format.path : `/v1${format.path}`)
    expect(sent?.headers).toMatchObject(format.auth(KEY))
    await made.trial.idle()
    expect(made.trial.figures.usage).toEqual(format.usage)
    expect(made.trial.figures.usd).toBeCloseTo(
      (format.usage.input + 10 * format.usage.output) / 1000,
      12,
    )
    expect(made.trial.lost).toBeNull()
  })

  it('is counted exactly in a stream, also a compressed one', async () => {
    const text = sse(...format.stream, ...(format.end === undefined ? [] : [format.end]))
    const made = await make({
      answer: (number) =>
        number === 1
          ? { headers: SSE_TYPE, chunks: shredded(text) }
          : { headers: { ...SSE_TYPE, 'content-encoding': 'gzip' }, chunks: [zlib.gzipSync(text)] },
    })
    expect(await (await ask(made, format, { body: format.streamRequest })).text()).toBe(text)
    expect(made.provider.requests[0]?.body.toString()).toBe(format.streamRequest)
    expect(await (await ask(made, format, { body: format.streamRequest })).text()).toBe(text)
    await made.trial.idle()
    expect(made.trial.figures.requests.map(({ usage }) => usage)).toEqual([
      format.usage,
      format.usage,
    ])
    expect(made.trial.figures.list()).toMatchObject([{ requests: 2, refused: 0 }])
  })

  it('has an estimate that is marked, if its stream breaks off, and the provider is lost', async () => {
    const text = sse(...format.stream.slice(0, format.half))
    const made = await make({
      answer: () => ({ headers: SSE_TYPE, chunks: [text], after: 'reset' }),
    })
    await expect(
      ask(made, format, { body: format.streamRequest }).then((one) => one.text()),
    ).rejects.toThrow(/terminated/)
    await made.trial.idle()
    expect(made.trial.figures.list()).toMatchObject([{ requests: 1, estimated: true }])
    expect(made.trial.figures.usage?.input).toBeGreaterThan(0)
    expect(made.trial.figures.usage?.output).toBeGreaterThan(0)
    expect(made.trial.lost).toMatchObject({ reason: 'provider-error' })
  })
})

describe('a chat stream that does not ask for its usage', () => {
  const events = [
    { choices: [{ delta: { content: 'Hé' } }] },
    { choices: [{ delta: {}, finish_reason: 'stop' }] },
  ]
  const usage = { choices: [], usage: { prompt_tokens: 12, completion_tokens: 5 } }

  it.each(['\n', '\r\n'])(
    'gets it all the same, and the agent sees nothing of it (line ends %j)',
    async (lineEnd) => {
      const written = (...all: (object | string)[]): string => sse(...all).replaceAll('\n', lineEnd)
      const made = await make({
        answer: () => ({
          headers: SSE_TYPE,
          chunks: shredded(written(...events, usage, '[DONE]')),
        }),
      })
      const body = '{ "stream": true,  "model": "gpt-x" }'
      const got = await ask(made, chat, { body })
      expect(await got.text()).toBe(written(...events, '[DONE]'))
      expect(made.provider.requests[0]?.body.toString()).toBe(
        '{"stream_options":{"include_usage":true}, "stream": true,  "model": "gpt-x" }',
      )
      await made.trial.idle()
      expect(made.trial.figures.usage).toMatchObject({ input: 12, output: 5 })
    },
  )
})

describe('what the gateway refuses', () => {
  it.each([
    ['files of the account', '/v1/files', 'POST'],
    ['batches', '/v1/messages/batches', 'POST'],
    ['other methods', '/v1/messages', 'DELETE'],
    ['a way out of the path', '/v1/messages/../files', 'POST'],
    ['an encoded way out', '/v1/models/%2e%2e%2ffiles', 'GET'],
    ['another call of a model', '/v1beta/models/gemini-x:batchGenerateContent', 'POST'],
  ])('%s', async (_, path, method) => {
    const made = await make()
    const got = await ask(made, anthropic, { path, method })
    expect([401, 404]).toContain(got.status)
    expect(made.provider.requests).toEqual([])
  })

  it('requests without a secret, with the key itself, and with another trial’s secret', async () => {
    const made = await make()
    const other = await openTrial(made.gateway)
    opened.push(other)
    for (const secret of ['', 'wrong', KEY, other.env['ANTHROPIC_API_KEY'] ?? ''])
      expect((await ask(made, anthropic, { secret })).status).toBe(401)
    const two = { authorization: `Bearer ${other.env['ANTHROPIC_API_KEY']}` }
    expect((await ask(made, anthropic, { headers: two })).status).toBe(401)
    // A secret counts only where its provider expects the key.
    const misplaced = made.env['ANTHROPIC_API_KEY'] ?? ''
    expect((await ask(made, chat, { secret: misplaced })).status).toBe(401)
    const asBearer = { authorization: `Bearer ${misplaced}`, 'x-api-key': '' }
    expect((await ask(made, anthropic, { headers: asBearer })).status).toBe(401)
    const asAnthropic = { 'x-api-key': misplaced }
    const path = '/v1/messages'
    expect(
      (
        await fetch(`${made.env['OPENAI_BASE_URL']}${path}`, {
          method: 'POST',
          headers: asAnthropic,
        })
      ).status,
    ).toBe(404)
    expect(made.provider.requests).toEqual([])
    expect(made.trial.lost).toBeNull()
  })

  it('everything after the trial', async () => {
    const made = await make({ answer: () => ({ headers: JSON_TYPE, chunks: ['{}'] }) })
    await made.close()
    expect((await ask(made, anthropic)).status).toBe(404)
  })

  it('gives every trial other secrets, and none of them is the key', async () => {
    const made = await make()
    const other = await openTrial(made.gateway)
    opened.push(other)
    const secrets = ({ env }: OpenedTrial) =>
      Object.entries(env).flatMap(([name, value]) => (name.endsWith('_KEY') ? [value] : []))
    const values = [...secrets(made), ...secrets(other)]
    expect(new Set(values).size).toBe(values.length)
    expect(values.join()).not.toContain(KEY)
  })
})

describe('a provider that fails', () => {
  /** `ofKey`: the status of the list of models, by which Assay checks the key. */
  const failing = (statuses: readonly number[], ofKey = 401) => {
    let asked = 0
    return make({
      answer: (_, { method }) => {
        if (method === 'GET') return { status: ofKey }
        const status = statuses[Math.min(++asked, statuses.length) - 1] ?? 200
        return {
          status,
          headers: JSON_TYPE,
          chunks: [
            status === 200
              ? JSON.stringify(anthropic.whole)
              : `{"error":{"message":"not with ${KEY}"}}`,
          ],
        }
      },
    })
  }

  it.each([
    [401, 'request-refused'],
    [403, 'request-refused'],
    [429, 'rate-limited'],
    [500, 'provider-error'],
    [529, 'provider-error'],
  ])('with %i is lost as %s, if no later request is answered', async (status, reason) => {
    const made = await failing([status, 200, status])
    const got = await ask(made, anthropic)
    expect(got.status).toBe(status)
    expect(await got.text()).not.toContain(KEY)
    await made.trial.idle()
    expect(made.trial.lost).toMatchObject({ how: 'lost', reason })
    expect(made.trial.lost?.why).not.toContain(KEY)
    expect((await ask(made, anthropic)).status).toBe(200)
    await made.trial.idle()
    expect(made.trial.lost).toBeNull()
    expect(made.trial.figures.list()).toMatchObject([{ requests: 2, refused: 1 }])
  })

  it.each([400, 404, 413, 414, 422, 431])(
    'with %i says nothing of the provider: the agent wrote the request',
    async (status) => {
      const made = await failing([status])
      expect((await ask(made, anthropic)).status).toBe(status)
      expect(made.trial.lost).toBeNull()
      const later = await failing([500, status])
      await ask(later, anthropic)
      await ask(later, anthropic)
      expect(later.trial.lost).toMatchObject({ reason: 'provider-error' })
    },
  )

  it('is lost if it does not reply in time, and if the connection breaks', async () => {
    const hanging = await make({ answer: () => ({ after: 'hang' }), replyMs: 50 })
    expect((await ask(hanging, anthropic)).status).toBe(502)
    expect(hanging.trial.lost).toMatchObject({ reason: 'provider-timeout' })
    const reset = await make({ answer: () => ({ after: 'reset' }) })
    expect((await ask(reset, anthropic)).status).toBe(502)
    expect(reset.trial.lost).toMatchObject({ reason: 'provider-error' })
  })

  it('is not lost if the agent breaks off its own request', async () => {
    const made = await make({
      replyMs: 300,
      answer: () => ({
        headers: SSE_TYPE,
        chunks: [sse(anthropic.stream[0] ?? {})],
        after: 'hang',
      }),
    })
    const got = await ask(made, anthropic, { body: anthropic.streamRequest })
    const reader = got.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await made.trial.idle()
    expect(made.trial.lost).toBeNull()
    expect(made.trial.figures.list()).toMatchObject([{ requests: 1, refused: 0, estimated: true }])
    expect(made.trial.figures.usage).toMatchObject({ input: 7, cacheRead: 3, cacheWrite: 2 })
  })

  it('is asked again by the run, and the agent sees only the answer', async () => {
    const requests: ModelRequests = {
      async send(_, __, attempt) {
        for (;;)
          try {
            return await attempt()
          } catch (error) {
            if (!(error instanceof SubjectError) || !error.retry) throw error
          }
      },
      paid: () => {},
    }
    const made = await make({
      requests,
      answer: (number) =>
        number < 3
          ? { status: 500, headers: JSON_TYPE, chunks: ['{}'] }
          : { headers: JSON_TYPE, chunks: [JSON.stringify(anthropic.whole)] },
    })
    expect((await ask(made, anthropic)).status).toBe(200)
    await made.trial.idle()
    expect(made.trial.figures.requests).toMatchObject([{ attempts: 3, status: 200 }])
    expect(made.trial.lost).toBeNull()
  })
})

describe('what an agent cannot do', () => {
  const whole = (text: object): RawAnswer => ({
    headers: JSON_TYPE,
    chunks: [JSON.stringify(text)],
  })

  it('smuggle a second request in the body of the first', async () => {
    const made = await make({ answer: () => whole({ data: [] }) })
    const { hostname, port, pathname } = new URL(made.env['ANTHROPIC_BASE_URL'] ?? '')
    const request = http.request({
      hostname,
      port,
      path: `${pathname}/v1/models`,
      method: 'GET',
      headers: { 'x-api-key': made.env['ANTHROPIC_API_KEY'], 'content-length': '30' },
    })
    request.end('POST /v1/files HTTP/1.1\r\n\r\n   ')
    const [reply] = (await once(request, 'response')) as [http.IncomingMessage]
    reply.resume()
    expect(reply.statusCode).toBe(400)
    expect(made.provider.requests).toEqual([])
  })

  it('provoke a refusal of the key and blame its provider', async () => {
    const made = await make({
      answer: (_, { method }) => (method === 'GET' ? whole({ data: [] }) : { status: 403 }),
    })
    expect((await ask(made, anthropic)).status).toBe(403)
    await made.trial.idle()
    expect(made.trial.lost).toBeNull()
  })

  it('ask too fast and blame its provider', async () => {
    let clock = 0
    const answered = { content: [], usage: { input_tokens: 1, output_tokens: 1 } }
    const made = await make({
      now: () => clock,
      answer: (number) =>
        number > MOST_PER_MINUTE ? { status: 429, chunks: ['{}'] } : whole(answered),
    })
    for (let i = 0; i < MOST_PER_MINUTE; i++) {
      clock += 100
      await (await ask(made, anthropic)).text()
    }
    expect((await ask(made, anthropic)).status).toBe(429)
    await made.trial.idle()
    expect(made.trial.lost).toBeNull()
    clock += 60_000
    expect((await ask(made, anthropic)).status).toBe(429)
    await made.trial.idle()
    expect(made.trial.lost).toMatchObject({ reason: 'rate-limited' })
  })

  it('drop a request to get it for nothing', async () => {
    const made = await make({ answer: () => ({ after: 'hang' }), replyMs: 5000 })
    const stop = new AbortController()
    const asked = fetch(`${made.env['ANTHROPIC_BASE_URL']}/v1/messages`, {
      method: 'POST',
      headers: anthropic.auth(made.env['ANTHROPIC_API_KEY'] ?? ''),
      body: JSON.stringify({ model: 'm', messages: 'x'.repeat(1000) }),
      signal: stop.signal,
    }).catch(() => null)
    while (made.provider.requests.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort()
    await asked
    await made.trial.idle()
    expect(made.trial.figures.list()).toMatchObject([{ requests: 1, estimated: true }])
    expect(made.trial.figures.usage?.input).toBeGreaterThan(500)
    expect(made.trial.figures.counts.turns).toBe(0)
  })

  it('hide its model or its usage', async () => {
    const made = await make({ answer: () => whole(anthropic.whole) })
    for (const body of ['not JSON', '[]', '{}', '{"model":""}'])
      expect((await ask(made, anthropic, { body })).status).toBe(400)
    const [, , responses] = FORMATS as [Format, Format, Format]
    const body = '{"model":"gpt-x","background":true}'
    expect((await ask(made, responses, { body })).status).toBe(400)
    expect(made.provider.requests).toEqual([])
    const packed = zlib.gzipSync(anthropic.request)
    const got = await fetch(`${made.env['ANTHROPIC_BASE_URL']}/v1/messages`, {
      method: 'POST',
      headers: {
        ...anthropic.auth(made.env['ANTHROPIC_API_KEY'] ?? ''),
        'content-encoding': 'gzip',
      },
      body: packed,
    })
    expect(got.status).toBe(200)
    await made.trial.idle()
    expect(made.provider.requests[0]?.body.equals(packed)).toBe(true)
    expect(made.trial.figures.list()).toMatchObject([{ model: 'claude-x', usage: anthropic.usage }])
  })

  it('be errored by a slow failure of an earlier request', async () => {
    const first = Promise.withResolvers<void>()
    const made = await make({
      answer: (number) =>
        number === 1 ? first.promise.then(() => ({ status: 500 })) : whole(anthropic.whole),
    })
    const slow = ask(made, anthropic)
    while (made.provider.requests.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await ask(made, anthropic)).status).toBe(200)
    first.resolve()
    expect((await slow).status).toBe(500)
    await made.trial.idle()
    expect(made.trial.lost).toBeNull()
  })
})

describe('a limit', () => {
  // Each answer has 17 tokens and costs $0.057.
  const whole = { headers: JSON_TYPE, chunks: [JSON.stringify(anthropic.whole)] }
  const until = async (limits: Partial<AgentLimits>) => {
    let stops = 0
    const made = await make({ answer: () => whole, limits, stop: () => stops++ })
    const statuses: number[] = []
    for (let i = 0; i < 5 && made.trial.overLimit === null; i++) {
      statuses.push((await ask(made, anthropic)).status)
      await made.trial.idle()
    }
    return { statuses, stops, made }
  }

  it('on turns stops the agent before the request that exceeds it', async () => {
    const { statuses, stops, made } = await until({ turns: 2 })
    expect(statuses).toEqual([200, 200, 403])
    expect(stops).toBe(1)
    expect(made.trial.overLimit).toBe('more than 2 turns: 3')
    expect(made.provider.requests).toHaveLength(2)
  })

  it.each([
    ['tokens', { tokens: 40 }, 3, 'more than 40 tokens: 51'],
    ['dollars', { usd: 0.1 }, 2, 'more than 0.1 US dollars: 0.114'],
  ])(
    'on %s stops the agent at the request that exceeds it, and later ones are refused',
    async (_, limits, asked, note) => {
      const { statuses, made } = await until(limits)
      expect(statuses).toEqual(Array.from({ length: asked }, () => 200))
      expect(made.trial.overLimit).toBe(note)
      expect((await ask(made, anthropic)).status).toBe(403)
      expect(made.provider.requests).toHaveLength(asked)
    },
  )
})
