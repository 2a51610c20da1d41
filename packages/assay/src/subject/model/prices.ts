/**
 * What an answer costs. A user's price file wins; then the catalogue that comes with Assay, which knows
 * models by their provider's name or, for a provider from assay.toml, by the server's address. A price that is not
 * known is null: never 0, never another model's, never another token class's. Hence local servers cost
 * null until a price file says what an hour of the machine comes to per token, and so do models that the
 * catalogue lists without a price. Nothing here uses the network.
 *
 * Prices are in US dollars per million tokens. Some depend on the time of day or on the length of the
 * prompt; that is why a cost is asked for with its moment and its whole usage.
 */
import { costUsd } from '@assay/metrics'
import type { ModelPrice } from '@pydantic/genai-prices'
import type { Usage } from '@assay/contract'
import type { Price, PriceFile } from './price-file.ts'

/** Where the prices of a run came from, for its record. */
export interface PriceSource {
  readonly catalogue: { readonly name: string; readonly version: string }
  readonly file: { readonly path: string; readonly sha256: string } | null
}

/**
 * Whose price is asked for. `openai/…` costs what OpenAI asks also where it is asked through a proxy; who serves
 * something else names another provider.
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
  /** Dollars for one answer; null where any price it needs is unknown. */
  readonly cost: (model: PricedModel, usage: Usage, at: Date) => number | null
  /** The list price, for people; what depends on length is given for a short prompt. Null if unknown. */
  readonly price: (model: PricedModel, at: Date) => Price | null
}

/** The catalogue that is installed; a test compares it with the package itself. */
export function priceSource(): PriceSource['catalogue'] {
  return { name: '@pydantic/genai-prices', version: '0.1.8' }
}

/** The catalogue, behind the user's price file if there is one. */
export async function loadPrices(options: { readonly file?: string | null } = {}): Promise<Prices> {
  const { calcPrice } = await import('@pydantic/genai-prices')
  const path = options.file ?? null
  const file = path === null ? null : await (await import('./price-file.ts')).readPriceFile(path)

  const listed = (model: PricedModel, tokens: Record<string, number>, at: Date) => {
    try {
      return calcPrice(tokens, model.model, {
        timestamp: at,
        ...(model.catalogue === null
          ? { providerApiUrl: model.baseUrl }
          : { providerId: model.catalogue }),
      })
    } catch {
      return null // It throws where an entry is incomplete for this usage.
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
      // Prices for reasoning or per request are outside of the four classes; the catalogue adds them up.
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

/** As the catalogue counts: everything the prompt held is input, cached parts are named again. */
function tokensOf(usage: Usage): Record<string, number> {
  return {
    input_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    output_tokens: usage.output,
    output_reasoning_tokens: usage.reasoning,
  }
}

/** The catalogue's entry as a price for a prompt of that length; null where it does not name one. */
function priceAt(entry: ModelPrice, promptTokens: number): Price | null {
  const at = (key: string): number | null => {
    const listed = entry[key]
    if (listed === undefined) return null
    if (typeof listed === 'number') return listed
    // Beyond a tier's start all tokens cost its price, not only those beyond.
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
