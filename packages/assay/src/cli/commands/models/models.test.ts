import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pico from 'picocolors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startModelServer } from '../../../../test/model-server/index.ts'
import { priceSource } from '../../../subject/model/prices.ts'
import { modelsCommand, type ModelsOptions } from './models.ts'

const KEY = 'sk-test-Q7dW2mZp9LxT4vBn8RcY1aEu'
/** No server listens on this port (the port of the discard protocol). */
const NOWHERE = 'http://127.0.0.1:9/v1'
const ENV = {
  XDG_CONFIG_HOME: '/nonexistent',
  OPENAI_API_KEY: KEY,
  OLLAMA_BASE_URL: NOWHERE,
  VLLM_BASE_URL: NOWHERE,
  LMSTUDIO_BASE_URL: NOWHERE,
  LLAMACPP_BASE_URL: NOWHERE,
}

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'assay-models-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function print(options: ModelsOptions = {}): Promise<string> {
  let text = ''
  const output = {
    out: (more: string) => void (text += more),
    err: (more: string) => expect.unreachable(more),
    colors: pico.createColors(false),
  }
  expect(await modelsCommand({ folder, env: ENV, ...options }, output)).toBe(0)
  return text
}

describe('assay models', () => {
  it('prints who is ready and what it costs', async () => {
    const text = await print()
    expect(text).toMatch(/^openai +yes +key from OPENAI_API_KEY$/mu)
    expect(text).toMatch(/^anthropic +no +set ANTHROPIC_API_KEY$/mu)
    expect(text).toMatch(/^vllm +no +no server at http:\/\/127\.0\.0\.1:9\/v1$/mu)
    expect(text).toMatch(/^openai\/gpt-5 +1\.25 +0\.125 +10\.00$/mu)
    expect(text).toContain('Prices: @pydantic/genai-prices ')
    expect(text).not.toContain(KEY)
  })

  // The test covers the names of providers, models and the price file, also with --json. The other commands that
  // print to a pipe (graders, show, report, compare, bless, validate, trust and --dry-run) use the same functions,
  // plain() or printedJson().
  it('prints no control character of a name, also into a pipe', async () => {
    const server = await startModelServer({ models: ['\u001b[31mm\u009b2J'] })
    try {
      const toml = `[providers."a\\u001b]0;x\\u0007\\u009b"]\nbaseUrl = "${server.origin}/v1"\n`
      await writeFile(path.join(folder, 'assay.toml'), toml)
      for (const json of [false, true]) {
        const text = await print({ json })
        expect(text).toContain(';x')
        // oxlint-disable-next-line no-control-regex
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
      }
    } finally {
      await server.close()
    }
  })

  it('fits 80 columns, however many models a server has', async () => {
    const models = Array.from({ length: 300 }, (_, i) => `a-model-with-a-long-name-${i}`)
    const server = await startModelServer({ models })
    try {
      const text = await print({ env: { ...ENV, OLLAMA_BASE_URL: `${server.origin}/v1` } })
      expect(text).toContain('a-model-with')
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    } finally {
      await server.close()
    }
  })

  it('knows the providers and the prices of assay.toml', async () => {
    const toml = `
      prices = "mine.toml"
      [providers.corp]
      baseUrl = "https://models.corp.example/v1"
      apiKey = "${KEY}"
    `
    await writeFile(path.join(folder, 'assay.toml'), toml)
    const mine = '[models."openai/gpt-5"]\ninput = 7\noutput = 8'
    await writeFile(path.join(folder, 'mine.toml'), mine)
    const text = await print({ trust: true })
    expect(text).toMatch(/^corp +yes +key from apiKey in assay\.toml$/mu)
    expect(text).toMatch(/^corp +apiKey in assay\.toml +models\.corp\.example$/mu)
    expect(await print()).toMatch(/^corp +no +not trusted, so not contacted: see assay trust$/mu)
    expect(text).toMatch(/^openai\/gpt-5 +7\.00 +– +8\.00$/mu)
    expect(text).toContain('Prices: mine.toml, then @pydantic/genai-prices')
    expect(text).not.toContain(KEY)
  })

  it('prints the same as JSON', async () => {
    const parsed = JSON.parse(await print({ json: true })) as {
      providers: { provider: string; ready: boolean }[]
      prices: unknown
    }
    const openai = parsed.providers.find(({ provider }) => provider === 'openai')
    expect(openai).toMatchObject({ ready: true })
    expect(parsed.prices).toEqual({ catalogue: priceSource(), file: null })
  })
})
