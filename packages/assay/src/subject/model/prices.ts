/**
 * Computes the cost of an answer. A price in the user's price file overrides the price in Assay's catalogue. The
 * catalogue finds models by their provider's name or, for a provider from assay.toml, by the server's address. An
 * unknown price is null. It is never 0, and never the price of another model or kind of token. So the cost is null for
 * a local server and for a model that the catalogue lists without a price, unless a price file contains a price. This
 * file does not use the network.
 *
 * Prices are in US dollars per million tokens. Some prices depend on the time of day or on the length of the prompt. So
 * computing a cost needs the time and the whole usage.
 */
import { createRequire } from 'node:module'
import { costUsd } from '@assay/metrics'
import type * as Catalogue from '@pydantic/genai-prices'
import type { ModelPrice } from '@pydantic/genai-prices'
import type { Usage } from '@assay/contract'
import type { Price, PriceFile } from './price-file.ts'

/** Where the prices of a run came from, for its record. */
export interface PriceSource {
  readonly catalogue: { readonly name: string; readonly version: string }
  readonly file: { readonly path: string; readonly sha256: string } | null
}

/**
 * The model to price. `openai/…` has OpenAI's price, even if the requests go through a proxy. If a server has other
 * prices, the user must define it as a provider with another name.
 */
export interface PricedModel {
  readonly provider: string
  readonly model: string
  /** The provider's name in the catalogue, if it has one there. */
  readonly catalogue: string | null
  readonly baseUrl: string
}

export interface Prices {
  readonly source: PriceSource
  /** Returns the cost of one answer in dollars. Returns null if a price that it needs is unknown. */
  readonly cost: (model: PricedModel, usage: Usage, at: Date) => number | null
  /**
   * Returns the list price, for display. Returns null if it is unknown. If the price depends on the length of the
   * prompt, this is the price for a short prompt.
   */
  readonly price: (model: PricedModel, at: Date) => Price | null
}

/** The name and version of the installed catalogue. A test checks that they match the installed package. */
export function priceSource(): PriceSource['catalogue'] {
  return { name: '@pydantic/genai-prices', version: '0.1.8' }
}

/**
 * Loads the catalogue on first use. Loading it takes a tenth of the time of a short run, and simulated subjects,
 * recordings and commands need no prices.
 */
const catalogue = (): typeof Catalogue =>
  createRequire(import.meta.url)('@pydantic/genai-prices') as typeof Catalogue

/** Loads the prices. A price in the user's price file overrides the price in the catalogue. */
export async function loadPrices(options: { readonly file?: string | null } = {}): Promise<Prices> {
  const path = options.file ?? null
  const file = path === null ? null : await (await import('./price-file.ts')).readPriceFile(path)

  const listed = (model: PricedModel, tokens: Record<string, number>, at: Date) => {
    try {
      return catalogue().calcPrice(tokens, model.model, {
        timestamp: at,
        ...(model.catalogue === null
          ? { providerApiUrl: model.baseUrl }
          : { providerId: model.catalogue }),
      })
    } catch {
      return null // `calcPrice` throws if the catalogue lacks a price that this usage needs.
    }
  }

  return {
    source: {
      catalogue: priceSource(),
      file: file === null ? null : { path: file.path, sha256: file.sha256 },
    },
    cost: (model, usage, at) => {
      const written = fromFile(file, model)
      if (written !== undefined) return costAt(written, usage)
      const prompt = usage.input + usage.cacheRead + usage.cacheWrite
      const found = listed(model, tokensOf(usage), at)
      if (found === null) return null
      const price = priceAt(found.model_price, prompt)
      if (price === null) return null
      const cost = costAt(price, usage)
      // Some entries of the catalogue also have a price for reasoning or per request. `Price` cannot express these, so
      // for such entries the catalogue's own total is used.
      const four = !(
        'output_reasoning_mtok' in found.model_price || 'requests_kcount' in found.model_price
      )
      return four || cost === null ? cost : found.total_price
    },
    price: (model, at) => {
      const written = fromFile(file, model)
      if (written !== undefined) return written
      const found = listed(model, { input_tokens: 1, output_tokens: 1 }, at)
      return found === null ? null : priceAt(found.model_price, 1)
    },
  }
}

function fromFile(file: PriceFile | null, { provider, model }: PricedModel): Price | undefined {
  return file?.prices.get(`${provider}/${model}`)
}

/**
 * Converts usage to the catalogue's token counts. In the catalogue, the input count includes cached tokens, which are
 * listed separately too.
 */
function tokensOf(usage: Usage): Record<string, number> {
  return {
    input_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    output_tokens: usage.output,
    output_reasoning_tokens: usage.reasoning,
  }
}

/** Returns the catalogue's price for a prompt of `promptTokens` tokens. Returns null if it has none. */
function priceAt(entry: ModelPrice, promptTokens: number): Price | null {
  const at = (key: string): number | null => {
    const listed = entry[key]
    if (listed === undefined) return null
    if (typeof listed === 'number') return listed
    // If the prompt is longer than the start of a price tier, the tier's price applies to all tokens of the prompt.
    const tiers = listed.tiers.filter((tier) => promptTokens > tier.start)
    return tiers.reduce((top, tier) => (tier.start > top.start ? tier : top), {
      start: -1,
      price: listed.base,
    }).price
  }
  const [input, output] = [at('input_mtok'), at('output_mtok')]
  if (input === null || output === null) return null
  return { input, output, cacheRead: at('cache_read_mtok'), cacheWrite: at('cache_write_mtok') }
}

function costAt({ input, output, cacheRead, cacheWrite }: Price, usage: Usage): number | null {
  if (usage.cacheRead > 0 && cacheRead === null) return null
  if (usage.cacheWrite > 0 && cacheWrite === null) return null
  return costUsd({
    inputTokens: usage.input,
    inputPricePer1M: input,
    outputTokens: usage.output,
    outputPricePer1M: output,
    cacheReadTokens: usage.cacheRead,
    cacheReadPricePer1M: cacheRead ?? 0,
    cacheWriteTokens: usage.cacheWrite,
    cacheWritePricePer1M: cacheWrite ?? 0,
  })
}
