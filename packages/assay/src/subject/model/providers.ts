/**
 * Who can be asked: the providers that are known by name, what `assay.toml` adds or changes, where their
 * keys come from. Resolving a provider asks nobody anything; a key that is missing is the user's mistake and
 * said here, before anything is spent.
 */
import { ownVariables } from '../../environment/index.ts'
import { UsageError } from '@assay/contract'
import { nearest } from '../../text/index.ts'
import { APIS, type Api } from './wire.ts'

/** [providers.NAME] of assay.toml: a new provider, or changes to one that is known. */
export interface ProviderSettings {
  /** With its version, as the provider documents it: "https://api.example.com/v1". */
  readonly baseUrl?: string | undefined
  /** The environment variable that holds the key. */
  readonly apiKeyEnv?: string | undefined
  /** The key itself; better kept out of files. */
  readonly apiKey?: string | undefined
  /** What it speaks; "chat", which is what OpenAI-compatible servers speak, unless given. */
  readonly api?: Api | undefined
}

export interface Concurrency {
  readonly start: number
  readonly most: number
}

/** A provider as it is built in. */
interface Preset {
  readonly api: Api
  readonly baseUrl: string
  /** Environment variables that move it elsewhere, the first that is set wins. */
  readonly baseUrlEnv: readonly string[]
  /** Environment variables that may hold the key; empty where none is needed. */
  readonly keyEnv: readonly string[]
  /** Runs on a machine of the user's: needs no key and costs what the user says. */
  readonly local: boolean
  readonly concurrency: Concurrency
  /** Its name in the price catalogue; null where prices are looked up by the server's address. */
  readonly catalogue: string | null
  /** Models to show prices of. */
  readonly examples: readonly string[]
}

const HOSTED: Concurrency = { start: 8, most: 64 }
/** One model on one graphics card: more at once only makes each slower. */
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

const PRESETS: Readonly<Record<string, Preset>> = {
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
  openrouter: {
    api: 'chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    baseUrlEnv: ['OPENROUTER_BASE_URL'],
    keyEnv: ['OPENROUTER_API_KEY'],
    local: false,
    concurrency: HOSTED,
    catalogue: 'openrouter',
    examples: ['qwen/qwen3-coder'],
  },
  ollama: { ...local(11434, 'OLLAMA'), baseUrlEnv: ['OLLAMA_BASE_URL', 'OLLAMA_HOST'] },
  lmstudio: local(1234, 'LMSTUDIO'),
  llamacpp: local(8080, 'LLAMACPP'),
  vllm: local(8000, 'VLLM', { start: 8, most: 256 }),
}

/** What stands in place of a variable's name where a file holds the key itself. */
export const WRITTEN_KEY = 'apiKey in assay.toml'

/** Other ways people write the names. */
const SYNONYMS: Readonly<Record<string, string>> = {
  'llama.cpp': 'llamacpp',
  'lm-studio': 'lmstudio',
  gemini: 'google',
}

/** A provider with everything decided. `key` is a secret. */
export interface Provider {
  readonly name: string
  readonly api: Api
  readonly baseUrl: string
  /** Whether the base URL is not the preset's own; only then does it belong into a record. */
  readonly moved: boolean
  readonly key: string | null
  /** Where the key came from or would have to: a variable or "apiKey in assay.toml"; null where none is used. */
  readonly keyFrom: string | null
  /** The key is needed and not there. */
  readonly keyMissing: boolean
  /** Who says where the server is: Assay itself, the user's environment, or the settings. */
  readonly addressBy: 'preset' | 'environment' | 'settings'
  /** The variable that says it; null where none does. */
  readonly addressVariable: string | null
  /** Environment variables that may hold the key; the first that is set does. Empty where a file holds it. */
  readonly keyVariables: readonly string[]
  readonly local: boolean
  readonly concurrency: Concurrency
  readonly catalogue: string | null
  readonly examples: readonly string[]
}

export interface ProviderSources {
  /** The [providers] tables of assay.toml. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>
  readonly env?: NodeJS.ProcessEnv
}

/** The variables that say where each known provider is, and those that hold its key. */
export const providerVariables = (): readonly {
  readonly addresses: readonly string[]
  readonly keys: readonly string[]
}[] =>
  Object.values(PRESETS).map(({ baseUrlEnv, keyEnv }) => ({ addresses: baseUrlEnv, keys: keyEnv }))

/** Names of all providers: those built in, then those that assay.toml adds. */
export function providerNames({ providers = {} }: ProviderSources): readonly string[] {
  return [...new Set([...Object.keys(PRESETS), ...Object.keys(providers)])]
}

/** "provider/model", cut at the first slash: models have slashes of their own. */
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

/** The provider with that name. A missing key is told, not thrown: `assay models` lists those as well. */
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
    // Keys are pasted, often with the end of their line.
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

/** Whether the variable is one of a provider that Assay knows, and the origin that provider's own. */
export const isOwnPair = (variable: string, origin: string): boolean =>
  Object.values(PRESETS).some(
    ({ keyEnv, baseUrl }) => keyEnv.includes(variable) && new URL(baseUrl).origin === origin,
  )

/** Whether the origin is that of a provider that Assay knows. */
export const isOwnOrigin = (origin: string): boolean =>
  Object.values(PRESETS).some(({ baseUrl }) => new URL(baseUrl).origin === origin)

/**
 * Why the provider's key must not be sent, whoever asks for it: on its way to another machine anybody could read it.
 * Null where nothing is wrong.
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

/** Plain http to another machine. */
export function isClearText(address: string): boolean {
  const url = new URL(address)
  return url.protocol === 'http:' && !isLoopback(url)
}

/** Whether the text is an address on this machine. */
export const isLoopbackAddress = (text: string): boolean =>
  URL.canParse(text) && isLoopback(new URL(text))

/** By what is written: a name that somebody's resolver maps to this machine is not enough. */
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
    return { url, variable: null }
  }
  for (const variable of preset?.baseUrlEnv ?? []) {
    const value = env[variable]?.trim() ?? ''
    if (value === '') continue
    const url = variable === 'OLLAMA_HOST' ? ollamaUrl(value) : value
    return { url: checkedUrl(url, variable, api), variable }
  }
  return { url: null, variable: null }
}

/** The URL as the SDK wants it, without its last slash. */
export function checkedUrl(value: string, from: string, api: Api): string {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    // Not quoted: what is there by mistake may be a key.
    throw new UsageError(`${from} is no http or https URL`)
  }
  // Neither survives appending a path, and both are where keys get hidden.
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      `${from} must hold no user, password, query or fragment: give the key apart`,
    )
  }
  const path = url.pathname.replace(/\/+$/u, '')
  // What these two makers' own tools call a base URL has no version in it.
  const version =
    path === '' ? { anthropic: '/v1', google: '/v1beta', chat: '', responses: '' }[api] : ''
  return `${url.origin}${path}${version}`
}

/** OLLAMA_HOST as Ollama reads it: a scheme, a port or all but the port may be left out. */
function ollamaUrl(host: string): string {
  const withScheme = /^https?:\/\//u.test(host)
    ? host
    : `http://${host.replace(/^:/u, '127.0.0.1:')}`
  if (!URL.canParse(withScheme)) return host
  const url = new URL(withScheme)
  // Where a server listens on every address it is asked on this one.
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  if (url.port === '' && !/:\d+\/?$/u.test(withScheme) && url.protocol === 'http:')
    url.port = '11434'
  return `${url.origin}/v1`
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
