import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startModelServer, type ModelServer } from '../../../test/model-server/index.ts'
import { listProviders } from './list-providers.ts'
import { loadPrices, type Prices } from './prices.ts'

const KEY = 'sk-test-Q7dW2mZp9LxT4vBn8RcY1aEu'
/** No server listens on port 9 (the discard protocol), so a connection is refused. */
const NOWHERE = 'http://127.0.0.1:9/v1'

let prices: Prices
let server: ModelServer
beforeAll(async () => {
  prices = await loadPrices()
  server = await startModelServer({ models: ['llama3.2', 'qwen3:8b'] })
})
afterAll(() => server.close())

const env = (): NodeJS.ProcessEnv => ({
  OPENAI_API_KEY: KEY,
  OLLAMA_HOST: `127.0.0.1:${server.port}`,
  VLLM_BASE_URL: NOWHERE,
  LMSTUDIO_BASE_URL: NOWHERE,
  LLAMACPP_BASE_URL: NOWHERE,
})

describe('listProviders', () => {
  it('says who is ready and why, and never shows a key', async () => {
    const list = await listProviders({ prices, env: env() })
    const by = Object.fromEntries(list.map((status) => [status.provider, status]))
    expect(by['openai']).toMatchObject({ ready: true, why: 'key from OPENAI_API_KEY' })
    expect(by['anthropic']).toMatchObject({ ready: false, why: 'set ANTHROPIC_API_KEY' })
    expect(by['ollama']).toMatchObject({ ready: true, models: ['llama3.2', 'qwen3:8b'] })
    expect(by['azure']).toMatchObject({
      ready: false,
      why: 'set AZURE_OPENAI_ENDPOINT, such as https://NAME.openai.azure.com',
    })
    expect(by['groq']).toMatchObject({ ready: false, why: 'set GROQ_API_KEY' })
    expect(by['vllm']).toMatchObject({ ready: false, why: `no server at ${NOWHERE}` })
    expect(JSON.stringify(list)).not.toContain(KEY)
  })

  it('has a price for every example', async () => {
    const list = await listProviders({ prices, env: env() })
    const examples = list.flatMap(({ provider, prices: known }) => known.map(() => provider))
    expect(examples).toEqual([
      'openai',
      'openai',
      'anthropic',
      'anthropic',
      'google',
      'google',
      'mistral',
      'xai',
      'deepseek',
      'groq',
      'openrouter',
    ])
  })

  it('lists what assay.toml adds, and asks it where it has no key', async () => {
    const providers = {
      mine: { baseUrl: `${server.origin}/v1` },
      paid: { baseUrl: `${server.origin}/v1`, apiKeyEnv: 'PAID_KEY' },
    }
    const list = await listProviders({ prices, providers, env: env() })
    expect(list.find(({ provider }) => provider === 'mine')).toMatchObject({ ready: true })
    expect(list.find(({ provider }) => provider === 'paid')).toMatchObject({
      ready: false,
      why: 'set PAID_KEY',
    })
  })

  it('distinguishes a server that is down from one without a model list', async () => {
    const { createServer } = await import('node:http')
    const seen = async (status: number, body: string) => {
      const one = createServer((_, response) => response.writeHead(status).end(body))
      await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
      const address = one.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      const url = `http://127.0.0.1:${port}/v1`
      const list = await listProviders({ prices, env: { ...env(), VLLM_BASE_URL: url } })
      one.close()
      const { ready, why = '' } = list.find(({ provider }) => provider === 'vllm') ?? {}
      return [ready, why.replace(url, 'X')]
    }
    expect(await seen(404, 'no')).toEqual([true, 'server at X, without a model list (404)'])
    expect(await seen(200, 'hello')).toEqual([true, 'server at X, without a model list'])
    expect(await seen(401, '{}')).toEqual([false, 'the server at X wants a key (401)'])
    expect(await seen(503, '{}')).toEqual([false, 'the server at X fails (503)'])
  })

  it('does not wait for a server that hangs', async () => {
    const { createServer } = await import('node:net')
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const address = silent.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    try {
      const list = await listProviders({
        prices,
        env: { ...env(), VLLM_BASE_URL: `http://127.0.0.1:${port}/v1` },
        timeoutMs: 100,
      })
      expect(list.find(({ provider }) => provider === 'vllm')).toMatchObject({
        ready: false,
        why: expect.stringContaining('within 0.1 s') as string,
      })
    } finally {
      silent.close()
    }
  })
})
