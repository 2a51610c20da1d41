/**
 * Finds providers and their keys. A provider is built into Assay or defined in `assay.toml`, which can also change a
 * built-in one. No request is sent here. A missing key is a mistake of the user, which is found here, before any money
 * is spent.
 */
import { ownVariables } from '../../environment/index.ts'
import { UsageError } from '@assay/contract'
import { nearest } from '../../text/index.ts'
import { APIS, type Api } from './wire.ts'

/** The table [providers.NAME] in assay.toml. It defines a new provider or changes a built-in one. */
export interface ProviderSettings {
  /** The URL of the API with its version, as in the provider's documentation: "https://api.example.com/v1". */
  readonly baseUrl?: string | undefined
  /** The name of the environment variable that contains the key. */
  readonly apiKeyEnv?: string | undefined
  /** The key itself. `apiKeyEnv` is safer, because it keeps the key out of the file. */
  readonly apiKey?: string | undefined
  /** The API of the provider. Default: "chat", which OpenAI-compatible servers support. */
  readonly api?: Api | undefined
}

export interface Concurrency {
  readonly start: number
  readonly most: number
}

/** A built-in provider. */
interface Preset {
  readonly api: Api
  readonly baseUrl: string
  /** Environment variables that override the URL of the API. The first one that is set is used. */
  readonly baseUrlEnv: readonly string[]
  /** Environment variables that may contain the key. Empty if no key is needed. */
  readonly keyEnv: readonly string[]
  /**
   * Whether the server runs on the user's own machine. Such a server needs no key, and only the user knows its cost.
   */
  readonly local: boolean
  readonly concurrency: Concurrency
  /** The provider's name in the price catalogue. Null if prices are found by the server's URL. */
  readonly catalogue: string | null
  /** Models whose prices `assay models` shows as examples. */
  readonly examples: readonly string[]
  /**
   * Set if each customer has a separate address, so that `baseUrl` is only a placeholder. The text says what the user
   * must set.
   */
  readonly ownAddress?: string
  /** Set if replies state the cost of the request in dollars. That cost is then used instead of a list price. */
  readonly reportsCost?: true
}

const HOSTED: Concurrency = { start: 8, most: 64 }
/**
 * The concurrency for a local server. It usually runs one model on one graphics card, so more requests at once would
 * only make each of them slower.
 */
const ONE_MACHINE: Concurrency = { start: 2, most: 8 }

const local = (port: number, name: string, concurrency = ONE_MACHINE): Preset => ({
  api: 'chat',
  baseUrl: `http://127.0.0.1:${port}/v1`,
  baseUrlEnv: [`${name}_BASE_URL`],
  keyEnv: [],
  local: true,
  concurrency,
  catalogue: null,
  examples: [],
})

/** Describes a service whose API is compatible with OpenAI's chat completions. */
const compatible = (
  name: string,
  baseUrl: string,
  catalogue: string,
  examples: readonly string[],
): Preset => ({
  api: 'chat',
  baseUrl,
  baseUrlEnv: [`${name}_BASE_URL`],
  keyEnv: [`${name}_API_KEY`],
  local: false,
  concurrency: HOSTED,
  catalogue,
  examples,
})

/** The built-in providers by name. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  openai: {
    api: 'responses',
    baseUrl: 'https://api.openai.com/v1',
    baseUrlEnv: ['OPENAI_BASE_URL'],
    keyEnv: ['OPENAI_API_KEY'],
    local: false,
    concurrency: HOSTED,
    catalogue: 'openai',
    examples: ['gpt-5', 'gpt-5-mini'],
  },
  anthropic: {
    api: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    baseUrlEnv: ['ANTHROPIC_BASE_URL'],
    keyEnv: ['ANTHROPIC_API_KEY'],
    local: false,
    concurrency: HOSTED,
    catalogue: 'anthropic',
    examples: ['claude-opus-4-5', 'claude-haiku-4-5'],
  },
  google: {
    api: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    baseUrlEnv: ['GOOGLE_GENERATIVE_AI_BASE_URL', 'GOOGLE_GEMINI_BASE_URL'],
    keyEnv: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    local: false,
    concurrency: HOSTED,
    catalogue: 'google',
    examples: ['gemini-2.5-pro', 'gemini-2.5-flash'],
  },
  azure: {
    ...compatible('AZURE_OPENAI', 'https://azure-openai.invalid/openai/v1', 'azure', []),
    baseUrlEnv: ['AZURE_OPENAI_ENDPOINT', 'AZURE_OPENAI_BASE_URL'],
    ownAddress: 'AZURE_OPENAI_ENDPOINT, such as https://NAME.openai.azure.com',
  },
  mistral: compatible('MISTRAL', 'https://api.mistral.ai/v1', 'mistral', ['mistral-large-latest']),
  xai: compatible('XAI', 'https://api.x.ai/v1', 'x-ai', ['grok-4']),
  deepseek: compatible('DEEPSEEK', 'https://api.deepseek.com/v1', 'deepseek', ['deepseek-chat']),
  groq: compatible('GROQ', 'https://api.groq.com/openai/v1', 'groq', ['openai/gpt-oss-120b']),
  openrouter: {
    ...compatible('OPENROUTER', 'https://openrouter.ai/api/v1', 'openrouter', ['qwen/qwen3-coder']),
    reportsCost: true,
  },
  ollama: { ...local(11434, 'OLLAMA'), baseUrlEnv: ['OLLAMA_BASE_URL', 'OLLAMA_HOST'] },
  lmstudio: local(1234, 'LMSTUDIO'),
  llamacpp: local(8080, 'LLAMACPP'),
  vllm: local(8000, 'VLLM', { start: 8, most: 256 }),
}

/** The value of `keyFrom` if assay.toml contains the key itself, and not the name of a variable. */
export const WRITTEN_KEY = 'apiKey in assay.toml'

/** Other spellings of the providers' names. */
const SYNONYMS: Readonly<Record<string, string>> = {
  'llama.cpp': 'llamacpp',
  'lm-studio': 'lmstudio',
  gemini: 'google',
  'azure-openai': 'azure',
  grok: 'xai',
  'x-ai': 'xai',
}

/** A provider with all settings resolved. `key` is a secret. */
export interface Provider {
  readonly name: string
  readonly api: Api
  readonly baseUrl: string
  /** Whether the base URL differs from the built-in one. Only then does the record contain the URL. */
  readonly moved: boolean
  readonly key: string | null
  /** The variable that contains or should contain the key, or "apiKey in assay.toml". Null if no key is used. */
  readonly keyFrom: string | null
  /** Whether a key is needed but missing. */
  readonly keyMissing: boolean
  /** Where the server's URL comes from: it is built in, or set by the user's environment or by the settings. */
  readonly addressBy: 'preset' | 'environment' | 'settings'
  /** The environment variable that sets the URL. Null if none does. */
  readonly addressVariable: string | null
  /**
   * Environment variables that may contain the key. The first one that is set is used. Empty if a file contains the
   * key.
   */
  readonly keyVariables: readonly string[]
  readonly local: boolean
  readonly concurrency: Concurrency
  readonly catalogue: string | null
  readonly examples: readonly string[]
  /** What the user must set if the provider's address is missing. Null if the address is known. */
  readonly addressMissing: string | null
  readonly reportsCost: boolean
  /**
   * Whether the models are OpenAI's own. Their reasoning models need other parameters than models of other companies.
   */
  readonly isOpenAI: boolean
  /** Whether the key is also sent in the header `api-key`. Azure expects it there. */
  readonly sendsApiKey: boolean
}

export interface ProviderSources {
  /** The [providers] tables of assay.toml. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>
  readonly env?: NodeJS.ProcessEnv
}

/** Returns, for each built-in provider, the names of the variables for its URL and for its key. */
export const providerVariables = (): readonly {
  readonly addresses: readonly string[]
  readonly keys: readonly string[]
}[] =>
  Object.values(PRESETS).map(({ baseUrlEnv, keyEnv }) => ({ addresses: baseUrlEnv, keys: keyEnv }))

/** The names of all providers: first the built-in ones, then those from assay.toml. */
export function providerNames({ providers = {} }: ProviderSources): readonly string[] {
  return [...new Set([...Object.keys(PRESETS), ...Object.keys(providers)])]
}

/** Splits "provider/model" at the first slash, because the name of a model may contain slashes itself. */
export function splitModel(spec: string): { readonly provider: string; readonly model: string } {
  const slash = spec.indexOf('/')
  const provider = spec.slice(0, slash).trim()
  const model = spec.slice(slash + 1).trim()
  if (slash < 0 || provider === '' || model === '') {
    throw new UsageError(
      `"${spec}" names no model: write provider/model, for example openai/gpt-5 or ollama/llama3.2`,
    )
  }
  return { provider, model }
}

/**
 * Returns the provider with that name. A missing key is not an error here, because `assay models` also lists providers
 * without a key. In that case, `keyMissing` is true.
 */
export function findProvider(name: string, sources: ProviderSources): Provider {
  const env = sources.env ?? ownVariables()
  const settings = own(sources.providers ?? {}, name)
  const preset = own(PRESETS, name) ?? own(PRESETS, own(SYNONYMS, name) ?? '')
  if (preset === undefined && settings?.baseUrl === undefined) {
    throw new UsageError(
      settings === undefined
        ? unknownProvider(name, sources)
        : `[providers.${name}] in assay.toml needs a baseUrl`,
    )
  }
  const api = settings?.api ?? preset?.api ?? 'chat'
  if (!APIS.includes(api)) {
    throw new UsageError(
      `[providers.${name}] api is "${api}", it must be one of ${APIS.join(', ')}`,
    )
  }
  const { url: moved, variable } = baseUrlFor(name, api, preset, settings, env)
  return {
    name,
    api,
    baseUrl: moved ?? preset?.baseUrl ?? '',
    moved: moved !== null && moved !== preset?.baseUrl,
    addressBy:
      settings?.baseUrl !== undefined ? 'settings' : moved === null ? 'preset' : 'environment',
    addressVariable: variable,
    ...keyFor(preset, settings, env),
    local: preset?.local ?? false,
    concurrency: preset?.concurrency ?? HOSTED,
    catalogue: preset?.catalogue ?? null,
    examples: preset?.examples ?? [],
    addressMissing: moved === null ? (preset?.ownAddress ?? null) : null,
    reportsCost: preset?.reportsCost ?? false,
    isOpenAI: preset !== undefined && (preset === PRESETS['openai'] || preset === PRESETS['azure']),
    sendsApiKey: preset !== undefined && preset === PRESETS['azure'],
  }
}

function unknownProvider(name: string, sources: ProviderSources): string {
  const known = providerNames(sources)
  const near = nearest(name, known)
  const all = `known are ${known.join(', ')}; others are added in assay.toml as [providers.${name}] with their baseUrl`
  return `there is no provider "${name}"${near === null ? '' : ` (did you mean ${near}?)`}: ${all}`
}

// ── Keys ─────────────────────────────────────────────────────────────────────────────────────────────

type Key = Pick<Provider, 'key' | 'keyFrom' | 'keyMissing' | 'keyVariables'>

function keyFor(
  preset: Preset | undefined,
  settings: ProviderSettings | undefined,
  env: NodeJS.ProcessEnv,
): Key {
  const written = settings?.apiKey?.trim() ?? ''
  if (written !== '') return checkedKey(written, WRITTEN_KEY, [])
  const keyVariables =
    settings?.apiKeyEnv === undefined ? (preset?.keyEnv ?? []) : [settings.apiKeyEnv]
  for (const variable of keyVariables) {
    // White space is removed, because a pasted key often ends with a line break.
    const key = env[variable]?.trim() ?? ''
    if (key !== '') return checkedKey(key, variable, keyVariables)
  }
  const keyFrom = keyVariables[0] ?? null
  return { key: null, keyFrom, keyMissing: keyVariables.length > 0, keyVariables }
}

function checkedKey(key: string, keyFrom: string, keyVariables: readonly string[]): Key {
  if (!/^[\u0021-\u007e]+$/u.test(key)) {
    throw new UsageError(
      `the key from ${keyFrom} holds spaces or characters that no key has: copy it again`,
    )
  }
  return { key, keyFrom, keyMissing: false, keyVariables }
}

/** Whether one of the built-in providers uses both this key variable and this origin. */
export const isOwnPair = (variable: string, origin: string): boolean =>
  Object.values(PRESETS).some(
    ({ keyEnv, baseUrl }) => keyEnv.includes(variable) && new URL(baseUrl).origin === origin,
  )

/** Whether the origin belongs to a built-in provider. */
export const isOwnOrigin = (origin: string): boolean =>
  Object.values(PRESETS).some(({ baseUrl }) => new URL(baseUrl).origin === origin)

/**
 * Returns why the provider's key must not be sent. Returns null if it may be sent. Over plain http to another machine,
 * everybody on the network path could read the key.
 */
export function clearTextFault(
  provider: Pick<Provider, 'baseUrl' | 'key' | 'keyFrom'>,
): string | null {
  const { key, keyFrom, baseUrl } = provider
  if (key === null || !isClearText(baseUrl)) return null
  return (
    `${keyFrom ?? 'its key'} would cross the network in clear text to ${new URL(baseUrl).origin}: over plain http ` +
    'a key is sent to this machine only. Use https, or leave the key out'
  )
}

/** Whether the URL uses plain http and leads to another machine. */
export function isClearText(address: string): boolean {
  const url = new URL(address)
  return url.protocol === 'http:' && !isLoopback(url)
}

/** Whether the text is a URL on this machine. */
export const isLoopbackAddress = (text: string): boolean =>
  URL.canParse(text) && isLoopback(new URL(text))

/**
 * Whether the URL's host is this machine. Only the text of the host name is checked. A name that DNS resolves to this
 * machine does not count.
 */
export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' ||
  hostname === '[::1]' ||
  /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/u.test(hostname)

// ── Base URLs ────────────────────────────────────────────────────────────────────────────────────────

function baseUrlFor(
  name: string,
  api: Api,
  preset: Preset | undefined,
  settings: ProviderSettings | undefined,
  env: NodeJS.ProcessEnv,
): { readonly url: string | null; readonly variable: string | null } {
  if (settings?.baseUrl !== undefined) {
    const url = checkedUrl(settings.baseUrl, `[providers.${name}] baseUrl`, api)
    return { url: preset === PRESETS['azure'] ? azureUrl(url) : url, variable: null }
  }
  for (const variable of preset?.baseUrlEnv ?? []) {
    const value = env[variable]?.trim() ?? ''
    if (value === '') continue
    const given = variable === 'OLLAMA_HOST' ? ollamaUrl(value) : value
    const url = checkedUrl(given, variable, api)
    return { url: preset === PRESETS['azure'] ? azureUrl(url) : url, variable }
  }
  return { url: null, variable: null }
}

/** Adds the path of the API to an address from Azure's portal, which shows addresses without it. */
const azureUrl = (url: string): string =>
  new URL(url).pathname === '/' ? `${new URL(url).origin}/openai/v1` : url

/** Returns the URL in the form that the SDK needs, without its last slash. */
export function checkedUrl(value: string, from: string, api: Api): string {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    // The message does not quote the value, because the user may have put a key here by mistake.
    throw new UsageError(`${from} is no http or https URL`)
  }
  // These parts of a URL may contain keys. They would also be lost when the API's path is appended.
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      `${from} must hold no user, password, query or fragment: give the key apart`,
    )
  }
  const path = url.pathname.replace(/\/+$/u, '')
  // The version is added if it is missing, because Anthropic's and Google's own tools accept a base URL without it.
  const version =
    path === '' ? { anthropic: '/v1', google: '/v1beta', chat: '', responses: '' }[api] : ''
  return `${url.origin}${path}${version}`
}

/** Converts OLLAMA_HOST to a URL by Ollama's own rules. The scheme, the host and the port may each be missing. */
function ollamaUrl(host: string): string {
  const withScheme = /^https?:\/\//u.test(host)
    ? host
    : `http://${host.replace(/^:/u, '127.0.0.1:')}`
  if (!URL.canParse(withScheme)) return host
  const url = new URL(withScheme)
  // 0.0.0.0 and [::] mean that the server listens on every address. Requests are sent to 127.0.0.1 instead.
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  if (url.port === '' && !/:\d+\/?$/u.test(withScheme) && url.protocol === 'http:')
    url.port = '11434'
  return `${url.origin}/v1`
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
