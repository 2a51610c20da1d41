import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Usage, UsageError } from '@assay/contract'
import { loadPrices, priceSource, type PricedModel, type Prices } from './prices.ts'
import { findProvider, splitModel } from './providers.ts'

const AT = new Date('2026-06-01T12:00:00Z')
const usage: Usage = { input: 1000, cacheRead: 0, cacheWrite: 0, output: 500, reasoning: 100 }

function priced(spec: string, providers = {}): PricedModel {
  const { provider, model } = splitModel(spec)
  const { catalogue, baseUrl } = findProvider(provider, { env: {}, providers })
  return { provider, model, catalogue, baseUrl }
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-prices-'))
})
afterAll(() => rm(folder, { recursive: true }))

let files = 0
async function pricesFrom(toml: string): Promise<Prices> {
  const file = join(folder, `${++files}.toml`)
  await writeFile(file, toml)
  return loadPrices({ file })
}

describe('the catalogue', () => {
  it('is the one that is installed, and says so', async () => {
    const installed = new URL('../package.json', import.meta.resolve('@pydantic/genai-prices'))
    const { name, version } = JSON.parse(await readFile(installed, 'utf8')) as Record<
      string,
      string
    >
    expect(priceSource()).toEqual({ name, version })
    expect((await loadPrices()).source).toEqual({ catalogue: { name, version }, file: null })
  })

  it('prices each class by itself', async () => {
    const { cost } = await loadPrices()
    const opus = priced('anthropic/claude-opus-4-5')
    expect(cost(opus, usage, AT)).toBe((1000 * 5 + 500 * 25) / 1e6)
    const cached = { ...usage, cacheRead: 10_000, cacheWrite: 2000 }
    expect(cost(opus, cached, AT)).toBeCloseTo(
      (1000 * 5 + 500 * 25 + 10_000 * 0.5 + 2000 * 6.25) / 1e6,
      15,
    )
    expect(cost(priced('openai/gpt-4o'), { ...usage, cacheRead: 1000 }, AT)).toBeCloseTo(
      (1000 * 2.5 + 1000 * 1.25 + 500 * 10) / 1e6,
      15,
    )
  })

  it('prices long prompts by their tier, cached parts counted', async () => {
    const { cost, price } = await loadPrices()
    const gemini = priced('google/gemini-2.5-pro')
    expect(price(gemini, AT)).toMatchObject({ input: 1.25, output: 10 })
    const long = { ...usage, input: 100_001, cacheRead: 100_000 }
    expect(cost(gemini, long, AT)).toBeCloseTo(
      (100_001 * 2.5 + 100_000 * 0.25 + 500 * 15) / 1e6,
      12,
    )
    expect(cost(gemini, { ...long, input: 100_000 }, AT)).toBeCloseTo(
      (100_000 * 1.25 + 100_000 * 0.125 + 500 * 10) / 1e6,
      12,
    )
  })

  it('knows dated and routed names of the same model', async () => {
    const { cost } = await loadPrices()
    const at = (spec: string) => cost(priced(spec), usage, AT)
    expect(at('openai/gpt-4o-2024-08-06')).toBe(at('openai/gpt-4o'))
    expect(at('openrouter/anthropic/claude-sonnet-4')).toBe((1000 * 3 + 500 * 15) / 1e6)
  })

  it.each([
    'openai/gpt-4o-of-our-own',
    'openai/ft:gpt-4o:me',
    'anthropic/claude-from-tomorrow',
    'openrouter/openrouter/auto',
    // The catalogue lists these models without a price. A missing price is not a price of 0.
    'openrouter/meta-llama/llama-4-scout:free',
    'google/gemma-3',
    // A model on the user's own machine has another cost than the provider's model of the same name.
    'ollama/gpt-4o',
    'vllm/claude-opus-4-5',
  ])('does not know what %s costs', async (spec) => {
    const { cost, price } = await loadPrices()
    expect(cost(priced(spec), usage, AT)).toBeNull()
    expect(price(priced(spec), AT)).toBeNull()
  })

  it('does not price cached tokens by another class', async () => {
    const { cost } = await loadPrices()
    const llama = priced('openrouter/meta-llama/llama-3-8b-instruct')
    expect(cost(llama, usage, AT)).not.toBeNull()
    expect(cost(llama, { ...usage, cacheRead: 1 }, AT)).toBeNull()
  })

  it('knows a provider of assay.toml by its address', async () => {
    const { cost } = await loadPrices()
    const at = (baseUrl: string) =>
      cost(priced('fast/llama-3.3-70b-versatile', { fast: { baseUrl } }), usage, AT)
    expect(at('https://api.groq.com/openai/v1')).toBeGreaterThan(0)
    expect(at('https://proxy.example/openai/v1')).toBeNull()
  })
})

describe('a price file', () => {
  it('wins over the catalogue, for exactly the names in it', async () => {
    const prices = await pricesFrom(`
      source = "a contract"
      [models."openai/gpt-4o"]
      input = 1
      output = 2.5
      aliases = ["ollama/llama3.2"]
    `)
    expect(prices.cost(priced('openai/gpt-4o'), usage, AT)).toBe((1000 + 500 * 2.5) / 1e6)
    expect(prices.cost(priced('ollama/llama3.2'), usage, AT)).toBe((1000 + 500 * 2.5) / 1e6)
    expect(prices.cost(priced('openai/gpt-4o-2024-08-06'), usage, AT)).toBe(
      (1000 * 2.5 + 500 * 10) / 1e6,
    )
    // If the file lacks a price for a token class, the cost is unknown. The catalogue's price is not used in its
    // place.
    expect(prices.cost(priced('openai/gpt-4o'), { ...usage, cacheRead: 1 }, AT)).toBeNull()
    expect(prices.source.file).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) })
  })

  it('may say that something is free', async () => {
    const { cost } = await pricesFrom('[models."ollama/x"]\ninput = 0\noutput = 0\ncacheRead = 0')
    expect(cost(priced('ollama/x'), { ...usage, cacheRead: 5 }, AT)).toBe(0)
  })

  it.each([
    ['not toml at all', 'is not valid TOML'],
    ['', 'there is no [models."provider/model"] table'],
    ['[modles."a/b"]\ninput = 1', 'unknown key "modles"'],
    ['[models."gpt-4o"]\ninput = 1\noutput = 1', '"gpt-4o" is not a provider/model'],
    ['[models."a/b"]\ninput = 1', '[models."a/b"] needs output'],
    ['[models."a/b"]\ninput = -1\noutput = 1', '[models."a/b"] input must be US dollars'],
    ['[models."a/b"]\ninput = "1"\noutput = nan', '[models."a/b"] output must be US dollars'],
    ['[models."a/b"]\ninput = 1\noutput = 1\nchacheRead = 1', 'unknown key "chacheRead"'],
    ['[models."a/b"]\ninput = 1\noutput = 1\naliases = "c/d"', 'aliases must be a list of names'],
    ['[models."a/b"]\ninput = 1\noutput = 1\naliases = ["a/b"]', '"a/b" has two prices'],
    ['models = 5', 'there is no [models."provider/model"] table'],
    ['[models]\n"a/b" = 5', '[models."a/b"] must be a table'],
  ])('that says %j is refused: %s', async (toml, message) => {
    const reading = pricesFrom(toml)
    await expect(reading).rejects.toThrow(UsageError)
    await expect(reading).rejects.toThrow(message)
  })

  it.each([
    's3cret = yes = no',
    'a = 1\ns3cret words',
    '[models."a/b"]\ninput = "s3cret"\noutput = 1',
  ])('that says %j is not quoted', async (toml) => {
    await expect(pricesFrom(toml)).rejects.toThrow(/^(?![^]*s3cret)/u)
  })

  it('that is not there is the user’s mistake', async () => {
    await expect(loadPrices({ file: join(folder, 'none.toml') })).rejects.toThrow(UsageError)
  })
})

describe('prices/metrics-formulas.toml', () => {
  it.each([
    ['anthropic/claude-opus-4-5', 15, 75],
    ['anthropic/claude-sonnet-4-0', 3, 15],
    ['openai/gpt-4o', 5, 15],
  ])('has the document’s price of %s', async (spec, input, output) => {
    const file = fileURLToPath(new URL('../../../prices/metrics-formulas.toml', import.meta.url))
    const { cost, price } = await loadPrices({ file })
    const none = { cacheRead: null, cacheWrite: null }
    expect(price(priced(spec), AT)).toEqual({ input, output, ...none })
    expect(cost(priced(spec), usage, AT)).toBe((1000 * input + 500 * output) / 1e6)
  })
})
