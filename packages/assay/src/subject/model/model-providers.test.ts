/** Tests the differences between providers: names, keys, URLs, parameters and unusual replies. */
import { createServer } from 'node:net'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { testAsk, testCase } from '../../../test/ask.ts'
import {
  startModelServer,
  type Effect,
  type ModelServer,
  type ModelServerOptions,
} from '../../../test/model-server/index.ts'
import { SubjectError, type Subject, UsageError } from '@assay/contract'
import { MOST_REPLY_BYTES } from './connection.ts'
import { modelSubject, type ModelOptions } from './model.ts'
import { loadPrices, type Prices } from './prices.ts'

const KEY = 'sk-test-Q7dW2mZp9LxT4vBn8RcY1aEu'

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

function subject(model: string, more: Partial<ModelOptions> = {}): Subject {
  const made = modelSubject({ model, prices, env: {}, ...more })
  open.push(made)
  return made
}

/** A server that replies to every request with this body. */
const replying =
  (body: unknown, status = 200, headers = {}) =>
  (): Effect => ({
    kind: 'raw',
    reply: { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
  })

async function failureOf(promise: Promise<unknown>): Promise<SubjectError> {
  const error: unknown = await promise.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(SubjectError)
  return error as SubjectError
}

describe('making a model subject', () => {
  it.each([
    ['openai/gpt-5', 'OPENAI_API_KEY'],
    ['anthropic/claude-opus-4-5', 'ANTHROPIC_API_KEY'],
    ['google/gemini-2.5-pro', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ['openrouter/qwen/qwen3-coder', 'OPENROUTER_API_KEY'],
  ])('of %s without a key names the variable', (model, variable) => {
    expect(() => subject(model)).toThrow(UsageError)
    expect(() => subject(model)).toThrow(variable)
  })

  it.each([
    ['gpt-5', {}, 'names no model'],
    ['nobody/gpt-5', {}, 'there is no provider "nobody"'],
    [
      'ollama/x',
      { parameters: { temperature: 3 } },
      'temperature must be a number from 0 to 2, found 3',
    ],
    ['ollama/x', { parameters: { temperature: Number.NaN } }, 'temperature must be'],
    ['ollama/x', { parameters: { topP: 0 } }, 'topP must be'],
    ['ollama/x', { parameters: { maxTokens: 1.5 } }, 'maxTokens must be'],
    ['ollama/x', { parameters: { seed: -1 } }, 'seed must be'],
    [
      'ollama/x',
      { parameters: { effort: 'huge' as 'high' } },
      'effort must be one of none, minimal',
    ],
    ['ollama/x', { baseUrl: 'nowhere' }, 'baseUrl is no http or https URL'],
    [
      'anthropic/x',
      { api: 'chat' as const, env: { ANTHROPIC_API_KEY: KEY } },
      'anthropic has one API',
    ],
  ])('of %s with %j is the user’s mistake: %s', (model, more, message) => {
    expect(() => subject(model, more)).toThrow(UsageError)
    expect(() => subject(model, more)).toThrow(message)
  })

  it('with a parameter nobody knows is refused, not recorded and ignored', () => {
    const parameters: object = { topK: 3 }
    expect(() => subject('ollama/x', { parameters })).toThrow('there is no parameter "topK"')
  })

  it('records what determines the answers, and only that', () => {
    const env = { OPENAI_API_KEY: KEY }
    expect(subject('openai/gpt-5', { env })).toMatchObject({
      id: 'openai/gpt-5',
      kind: 'model',
      source: 'live',
      pool: 'openai',
      config: { provider: 'openai', model: 'gpt-5', api: 'responses', parameters: {} },
      secrets: [KEY],
    })
    const moved = { id: 'mine', baseUrl: 'http://h:1/v1', parameters: { temperature: 0, seed: 1 } }
    expect(subject('ollama/x', moved)).toMatchObject({
      id: 'mine',
      pool: 'ollama http://h:1/v1',
      config: {
        provider: 'ollama',
        model: 'x',
        api: 'chat',
        baseUrl: 'http://h:1/v1',
        parameters: { temperature: 0, seed: 1 },
      },
      secrets: [],
    })
  })

  it('estimates where there is a price, and does not where there is none', () => {
    const asked = testCase({ maxTokens: 1000 })
    const env = { OPENAI_API_KEY: KEY }
    expect(subject('openai/gpt-4o', { env }).estimateUsd(asked)).toBeGreaterThan((1000 * 10) / 1e6)
    expect(subject('ollama/gpt-4o').estimateUsd(asked)).toBeNull()
  })
})

describe('asking', () => {
  it('a local server needs no key and sends none', async () => {
    const server = await serve()
    for (const name of ['ollama', 'vllm', 'llamacpp', 'lmstudio']) {
      const answer = await subject(`${name}/llama3.2`, { baseUrl: `${server.origin}/v1` }).answer(
        testAsk(),
      )
      expect(answer).toMatchObject({ text: 'You said: What is 2 + 2?', usd: null })
    }
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('OpenRouter gets everything after the first slash as the model', async () => {
    const server = await serve()
    const env = { OPENROUTER_API_KEY: KEY, OPENROUTER_BASE_URL: `${server.origin}/api/v1` }
    const answer = await subject('openrouter/meta-llama/llama-3-8b-instruct', { env }).answer(
      testAsk(),
    )
    expect(server.counts.perModel).toEqual({ 'meta-llama/llama-3-8b-instruct': 1 })
    expect(answer.usd).toBeCloseTo((12 * 0.03 + 7 * 0.06) / 1e6, 15)
  })

  it.each([
    ['mistral', 'mistral-large-latest', (12 * 2 + 7 * 6) / 1e6],
    ['xai', 'grok-4', (12 * 3 + 7 * 15) / 1e6],
    ['deepseek', 'deepseek-chat', null],
    ['groq', 'openai/gpt-oss-120b', (12 * 0.15 + 7 * 0.6) / 1e6],
  ])('%s gets its key, its model and its prices', async (name, model, usd) => {
    const server = await serve()
    const upper = name.toUpperCase()
    const env = { [`${upper}_API_KEY`]: KEY, [`${upper}_BASE_URL`]: `${server.origin}/v1` }
    const answer = await subject(`${name}/${model}`, { env }).answer(testAsk())
    expect(server.requests[0]).toMatchObject({ model, api: 'chat' })
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    // The price of DeepSeek depends on the time of day.
    if (usd === null) expect(answer.usd).toBeGreaterThan(0)
    else expect(answer.usd).toBeCloseTo(usd, 15)
  })

  it('Azure is asked at the address of the resource, with its key as Azure reads it', async () => {
    const server = await serve()
    const env = { AZURE_OPENAI_API_KEY: KEY, AZURE_OPENAI_ENDPOINT: server.origin }
    const answer = await subject('azure/gpt-5', { env }).answer(testAsk())
    expect(server.requests[0]).toMatchObject({ model: 'gpt-5', api: 'chat' })
    expect(server.requests[0]?.headers['api-key']).toBe(KEY)
    expect(answer.usd).toBeCloseTo((12 * 1.25 + 7 * 10) / 1e6, 15)
    expect(() => subject('azure/gpt-5', { env: { AZURE_OPENAI_API_KEY: KEY } })).toThrow(
      'azure/gpt-5 needs the address of your resource: set AZURE_OPENAI_ENDPOINT',
    )
  })

  it.each([
    ['its cost', { cost: 0.5 }, 0.5, undefined],
    ['no cost', {}, (12 * 0.03 + 7 * 0.06) / 1e6, undefined],
    ['a negative cost', { cost: -1 }, (12 * 0.03 + 7 * 0.06) / 1e6, [/cost/]],
    ['a cost that is text', { cost: '0.5' }, (12 * 0.03 + 7 * 0.06) / 1e6, [/cost/]],
    [
      'its fee, with the customer’s own key',
      { cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.2 } },
      0.21,
      undefined,
    ],
  ])('OpenRouter states %s', async (_, stated, usd, remarks) => {
    const server = await serve({
      script: replying({
        choices: [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 12, completion_tokens: 7, ...stated },
      }),
    })
    const env = { OPENROUTER_API_KEY: KEY, OPENROUTER_BASE_URL: `${server.origin}/api/v1` }
    const model = 'openrouter/meta-llama/llama-3-8b-instruct'
    const answer = await subject(model, { env }).answer(testAsk())
    expect(answer.usd).toBeCloseTo(usd, 15)
    if (remarks === undefined) expect(answer.remarks).toBeUndefined()
    else expect(answer.remarks?.join()).toMatch(remarks[0] as RegExp)
    // No other provider is believed.
    const other = { providers: { mine: { baseUrl: `${server.origin}/v1` } } }
    expect((await subject('mine/x', other).answer(testAsk())).usd).toBeNull()
  })

  it('a provider of assay.toml is asked at its address with its key', async () => {
    const server = await serve()
    const providers = { corp: { baseUrl: `${server.origin}/gateway/v1`, apiKeyEnv: 'CORP_KEY' } }
    await subject('corp/some/model', { providers, env: { CORP_KEY: KEY } }).answer(testAsk())
    expect(server.requests[0]).toMatchObject({ model: 'some/model', api: 'chat' })
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(() => subject('corp/some/model', { providers })).toThrow('CORP_KEY')
  })

  it.each([
    ['openai/gpt-5', 'OPENAI', '/v1', 'responses'],
    ['anthropic/claude-opus-4-5', 'ANTHROPIC', '', 'anthropic'],
    ['google/gemini-2.5-pro', 'GOOGLE_GENERATIVE_AI', '', 'google'],
  ])('%s is moved by %s_BASE_URL', async (model, name, path, api) => {
    const server = await serve()
    const env = { [`${name}_API_KEY`]: KEY, [`${name}_BASE_URL`]: `${server.origin}${path}` }
    await subject(model, { env }).answer(testAsk())
    expect(server.requests).toMatchObject([{ api }])
  })

  it.each([
    ['openai/gpt-5', 'responses', { reasoning: { effort: 'high' } }],
    ['openai/model-of-tomorrow', 'responses', { reasoning: { effort: 'high' } }],
    ['openai/gpt-5', 'chat', { reasoning_effort: 'high', max_completion_tokens: 99 }],
    ['vllm/qwen3', undefined, { reasoning_effort: 'high', max_tokens: 99 }],
    ['anthropic/claude-opus-4-5', undefined, { thinking: { type: 'enabled' } }],
    ['google/gemini-2.5-pro', undefined, { generationConfig: { thinkingConfig: {} } }],
  ] as const)('%s (%s) is told how much to reason', async (model, api, body) => {
    const server = await serve()
    const env = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, GEMINI_API_KEY: KEY }
    await subject(model, {
      env,
      baseUrl: server.origin,
      parameters: { effort: 'high', maxTokens: 99 },
      ...(api === undefined ? {} : { api }),
    }).answer(testAsk())
    expect(server.requests[0]?.body).toMatchObject(body)
    expect(server.requests[0]?.body).not.toHaveProperty('reasoning.summary')
  })

  it('goes through the proxy of the environment under Node’s own switch', async () => {
    const proxy = await serve()
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.origin }
    const asked = subject('vllm/x', { env, baseUrl: 'http://models.invalid/v1' })
    expect(await asked.answer(testAsk())).toMatchObject({ text: 'You said: What is 2 + 2?' })
    expect(proxy.requests[0]?.headers.host).toBe('models.invalid')
  })

  it('OpenAI is asked not to keep what it is asked', async () => {
    const server = await serve()
    await subject('openai/gpt-5', { env: { OPENAI_API_KEY: KEY }, baseUrl: server.origin }).answer(
      testAsk(),
    )
    expect(server.requests[0]?.body).toMatchObject({ store: false })
  })

  it('notes the parameters that a model ignores, and prints nothing', async () => {
    const server = await serve()
    const warned: unknown[] = []
    const listen = (warning: Error): void => void warned.push(warning)
    process.on('warning', listen)
    try {
      const options = {
        env: { OPENAI_API_KEY: KEY },
        baseUrl: server.origin,
        parameters: { temperature: 1 },
      }
      const answer = await subject('openai/o3', options).answer(testAsk())
      expect(answer.note).toBe('temperature is not supported for reasoning models')
      await new Promise((resolve) => setImmediate(resolve))
      expect(warned).toEqual([])
    } finally {
      process.off('warning', listen)
    }
  })

  it('the case’s limit holds where the subject has none', async () => {
    const server = await serve()
    await subject('vllm/x', { baseUrl: server.origin }).answer(testAsk({ maxTokens: 77 }))
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 77 })
  })
})

const GEMINI = 'google/gemini-2.5-pro'
const MORE = { finishReason: 'CONTINUATION', continuationToken: 'next' }

/** One part of a long answer, in Google's format. */
const instalment = (text: string, end: object) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, ...end }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
})

function asking(server: ModelServer, model = 'vllm/x', env = {}): Promise<unknown> {
  return subject(model, { env, baseUrl: server.origin }).answer(testAsk())
}

describe('an odd reply', () => {
  it('that blocks the prompt is a filtered answer', async () => {
    const body = {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 8, totalTokenCount: 8 },
    }
    const server = await serve({ script: replying(body) })
    expect(await asking(server, GEMINI, { GEMINI_API_KEY: KEY })).toEqual({
      text: '',
      stop: 'filter',
      note: 'finish reason: PROHIBITED_CONTENT',
      usage: { input: 8, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 },
      usd: 0.00001,
    })
  })

  it('that refuses the request for its content is a filtered answer', async () => {
    const error = { code: 'content_filter', message: 'The prompt was filtered' }
    const server = await serve({ script: replying({ error }, 400) })
    expect(await asking(server)).toMatchObject({
      text: '',
      stop: 'filter',
      note: 'The prompt was filtered',
    })
  })

  it('in instalments is one answer with the usage of all', async () => {
    const server = await serve({
      script: ({ number }) =>
        replying(instalment(`part ${number}. `, number < 3 ? MORE : { finishReason: 'STOP' }))(),
    })
    const usage = { input: 30, cacheRead: 0, cacheWrite: 0, output: 15, reasoning: 0 }
    expect(await asking(server, GEMINI, { GEMINI_API_KEY: KEY })).toMatchObject({
      text: 'part 1. part 2. part 3. ',
      stop: 'end',
      usage,
    })
  })

  it('in instalments without an end is given up', async () => {
    const server = await serve({ script: replying(instalment('x', MORE)) })
    const error = await failureOf(asking(server, GEMINI, { GEMINI_API_KEY: KEY }))
    expect(error).toMatchObject({ reason: 'bad-reply', usage: { input: 320, output: 160 } })
    expect(error.usd).toBeGreaterThan(0)
    expect(server.counts.requests).toBe(32)
  })

  it('that cannot be read says what it was, and what it cost', async () => {
    const body = { choices: 'none', usage: { prompt_tokens: 100, completion_tokens: 10 } }
    const server = await serve({ script: replying(body) })
    const env = { OPENROUTER_API_KEY: KEY }
    const error = await failureOf(asking(server, 'openrouter/meta-llama/llama-3-8b-instruct', env))
    expect(error).toMatchObject({
      reason: 'bad-reply',
      retry: true,
      usage: { input: 100, output: 10 },
    })
    expect(error.usd).toBeGreaterThan(0)
    expect(error.message).toContain('"choices":"none"')
  })

  it('with a number that JSON has not is not valid JSON', async () => {
    const body = '{"choices":[],"usage":{"prompt_tokens":NaN,"completion_tokens":1}}'
    const server = await serve({ script: replying(body) })
    expect(await failureOf(asking(server))).toMatchObject({ reason: 'bad-reply', usage: null })
  })

  it('of an account without money is not asked for again', async () => {
    const server = await serve({ script: ['quota'] })
    expect(await failureOf(asking(server))).toMatchObject({ reason: 'rate-limited', retry: false })
  })

  it('with a limit inside a 200 is a limit', async () => {
    const error = { code: 429, message: 'slow down' }
    const server = await serve({ script: replying({ error }, 200, { 'retry-after': '4' }) })
    const failure = await failureOf(asking(server))
    expect(failure).toMatchObject({ reason: 'rate-limited', retry: true, retryAfterMs: 4000 })
  })

  it('with tool calls that nobody offered is an answer without text', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'rm', arguments: '{}' } }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    const body = { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
    const server = await serve({ script: replying(body) })
    expect(await asking(server)).toMatchObject({
      text: '',
      stop: 'end',
      note: 'finish reason: tool_calls',
    })
  })

  it('larger than any answer is cut off', async () => {
    const server = await serve({ script: replying('x'.repeat(MOST_REPLY_BYTES + 1)) })
    const error = await failureOf(asking(server))
    expect(error).toMatchObject({ reason: 'bad-reply' })
    expect(error.message).toContain('larger than')
  })

  it('full of control characters and length stays one short line', async () => {
    const server = await serve({ script: replying(`\u001b[2J\n${'spam '.repeat(10_000)}`, 500) })
    const { message } = await failureOf(asking(server))
    expect(message.length).toBeLessThanOrEqual(500)
    // oxlint-disable-next-line no-control-regex
    expect(message).not.toMatch(/[\u0000-\u001f]/u)
  })
})

describe('no reply', () => {
  it('from a local server that is not there is not worth another try, from another it may be', async () => {
    const env = { OPENAI_API_KEY: 'sk-not-a-key' }
    const far = subject('openai/x', { baseUrl: 'http://127.0.0.1:9/v1', env })
    expect(await failureOf(far.answer(testAsk()))).toMatchObject({ retry: true, status: null })
    const asked = subject('ollama/x', { baseUrl: 'http://127.0.0.1:9/v1' })
    const error = await failureOf(asked.answer(testAsk()))
    expect(error).toMatchObject({ reason: 'provider-error', retry: false, status: null })
    expect(error.message).toContain('Is the server running at http://127.0.0.1:9/v1?')
  })

  it('from a server that speaks no TLS is not', async () => {
    const server = await serve()
    const asked = subject('vllm/x', { baseUrl: server.origin.replace('http:', 'https:') })
    expect(await failureOf(asked.answer(testAsk()))).toMatchObject({
      reason: 'provider-error',
      retry: false,
    })
  })

  it('but noise from a server that speaks no HTTP is not either', async () => {
    const noise = createServer((socket) =>
      socket.on('error', () => {}).end('220 mail.example ESMTP\r\n'),
    )
    await new Promise<void>((resolve) => noise.listen(0, '127.0.0.1', resolve))
    const address = noise.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    try {
      const asked = subject('vllm/x', { baseUrl: `http://127.0.0.1:${port}/v1` })
      expect(await failureOf(asked.answer(testAsk()))).toMatchObject({ reason: 'provider-error' })
    } finally {
      noise.close()
    }
  })

  it('is wanted for a message that the API has no place for', async () => {
    const server = await serve()
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Hello?' },
    ] as const
    const asked = subject('google/gemini-2.5-pro', {
      env: { GEMINI_API_KEY: KEY },
      baseUrl: server.origin,
    })
    const error = await failureOf(asked.answer(testAsk({ messages })))
    expect(error).toMatchObject({ reason: 'request-refused', retry: false, status: null })
    expect(server.counts.requests).toBe(0)
  })

  it('leaves no connection behind once the subject is closed', async () => {
    const server = await serve()
    const asked = subject('vllm/x', { baseUrl: server.origin })
    await Promise.all(Array.from({ length: 5 }, () => asked.answer(testAsk())))
    expect(server.connections).toBeGreaterThan(0)
    await asked.close()
    await expect.poll(() => server.connections).toBe(0)
  })
})
