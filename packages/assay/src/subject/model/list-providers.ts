/**
 * Lists which providers can be used, and the prices of their models. It sends requests only to local servers and to
 * servers that need no key.
 */
import { Connection } from './connection.ts'
import { child, isRecord, parseJson } from '../json.ts'
import type { Price } from './price-file.ts'
import type { Prices } from './prices.ts'
import {
  clearTextFault,
  findProvider,
  providerNames,
  type Provider,
  type ProviderSources,
} from './providers.ts'
import type { Api } from './wire.ts'

export interface ProviderStatus {
  readonly provider: string
  readonly api: Api
  readonly baseUrl: string
  /** The variable or setting that contains the key, never the key itself. Null if no key is needed. */
  readonly keyFrom: string | null
  readonly ready: boolean
  /** A text for the user that says why the provider can be used, or what is missing. */
  readonly why: string
  /** The models that the server lists. Empty if the server was not asked. */
  readonly models: readonly string[]
  readonly prices: readonly { readonly model: string; readonly price: Price }[]
}

export interface ListOptions extends ProviderSources {
  readonly prices: Prices
  /** The time limit for a server's reply. It can be short, because a local server replies at once or is not running. */
  readonly timeoutMs?: number
  readonly now?: () => number
  /**
   * Returns a reason if the key must not be sent to this provider. Otherwise returns null. By default, every key may be
   * sent.
   */
  readonly refusal?: (provider: string) => string | null
}

const TIMEOUT_MS = 1000
const MOST_MODELS = 100

export async function listProviders(options: ListOptions): Promise<readonly ProviderStatus[]> {
  const connection = new Connection(options.env)
  try {
    return await Promise.all(
      providerNames(options).map((name) => statusOf(name, options, connection)),
    )
  } finally {
    connection.close()
  }
}

async function statusOf(
  name: string,
  options: ListOptions,
  connection: Connection,
): Promise<ProviderStatus> {
  const provider = findProvider(name, options)
  const { api, baseUrl, keyFrom } = provider
  const at = new Date((options.now ?? Date.now)())
  const known = {
    provider: name,
    api,
    baseUrl,
    keyFrom,
    models: [],
    prices: provider.examples.flatMap((model) => {
      const price = options.prices.price({ ...provider, provider: name, model }, at)
      return price === null ? [] : [{ model, price }]
    }),
  }
  if (provider.addressMissing !== null)
    return { ...known, ready: false, why: `set ${provider.addressMissing}` }
  if (provider.keyMissing) return { ...known, ready: false, why: `set ${keyFrom ?? 'its key'}` }
  const refusal = clearTextFault(provider) ?? options.refusal?.(name) ?? null
  if (refusal !== null) return { ...known, ready: false, why: refusal }
  // Other providers are not asked, because they could count the request towards the user's limits.
  if (provider.key !== null && !provider.local) {
    return { ...known, ready: true, why: `key from ${keyFrom ?? 'assay.toml'}` }
  }
  return { ...known, ...(await serverState(provider, connection, options.timeoutMs ?? TIMEOUT_MS)) }
}

/** Asks a server for its models. Returns that the server is down, that it lists no models, or which models it lists. */
async function serverState(
  provider: Provider,
  connection: Connection,
  timeoutMs: number,
): Promise<Pick<ProviderStatus, 'ready' | 'why' | 'models'>> {
  const { baseUrl } = provider
  const down = (why: string) => ({ ready: false, why, models: [] })
  try {
    const reply = await connection.send({
      method: 'GET',
      url: new URL(`${provider.baseUrl}/models`),
      headers: provider.key === null ? {} : { authorization: `Bearer ${provider.key}` },
      body: null,
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (reply.status === 401 || reply.status === 403)
      return down(`the server at ${baseUrl} wants a key (${reply.status})`)
    if (reply.status >= 500) return down(`the server at ${baseUrl} fails (${reply.status})`)
    const data = reply.status === 200 ? child(parseJson(reply.text), 'data') : null
    if (!Array.isArray(data)) {
      const said = reply.status === 200 ? '' : ` (${reply.status})`
      return { ready: true, why: `server at ${baseUrl}, without a model list${said}`, models: [] }
    }
    const models = data
      .slice(0, MOST_MODELS)
      .flatMap((entry: unknown) =>
        isRecord(entry) && typeof entry['id'] === 'string' ? [entry['id']] : [],
      )
    return { ready: true, why: `server at ${baseUrl}`, models }
  } catch (error) {
    const isSlow = error instanceof Error && /^(?:TimeoutError|AbortError)$/u.test(error.name)
    return down(
      isSlow ? `no answer from ${baseUrl} within ${timeoutMs / 1000} s` : `no server at ${baseUrl}`,
    )
  }
}
