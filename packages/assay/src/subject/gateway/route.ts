/** Makes an agent send its requests to the gateway instead of its provider. */
import type { Subject } from '@assay/contract'
import type { Variables } from '../../environment/index.ts'
import { checkedUrl, findProvider } from '../model/providers.ts'
import { newSecret, type TrialKey } from './trial-keys.ts'
import type { Family } from './model-path.ts'

export interface GatewayRoute {
  readonly family: Family
  /** The provider's name in `providers.ts`. Its requests share the limits of that provider. */
  readonly provider: string
  /**
   * Variables with keys that the gateway can replace in requests. The value lists where a key can be: the names of
   * headers, or `?key` for the query.
   */
  readonly keys: Readonly<Record<string, readonly string[]>>
  /** The environment variable that sets the URL of the provider. */
  readonly address: string
  /** The URL of the provider if the variable is not set. */
  readonly origin: string
  /** The part of the path that the URL in the variable must contain: `/v1` for OpenAI. */
  readonly version: '' | '/v1'
  /** The name of the API in error messages. */
  readonly title: string
}

export const ROUTES: Readonly<Record<Family, GatewayRoute>> = {
  anthropic: {
    family: 'anthropic',
    provider: 'anthropic',
    keys: { ANTHROPIC_API_KEY: ['x-api-key'], ANTHROPIC_AUTH_TOKEN: ['authorization'] },
    address: 'ANTHROPIC_BASE_URL',
    origin: 'https://api.anthropic.com',
    version: '',
    title: 'Anthropic',
  },
  openai: {
    family: 'openai',
    provider: 'openai',
    keys: { OPENAI_API_KEY: ['authorization'], CODEX_API_KEY: ['authorization'] },
    address: 'OPENAI_BASE_URL',
    origin: 'https://api.openai.com/v1',
    version: '/v1',
    title: 'OpenAI',
  },
  google: {
    family: 'google',
    provider: 'google',
    keys: {
      GEMINI_API_KEY: ['x-goog-api-key', '?key'],
      GOOGLE_API_KEY: ['x-goog-api-key', '?key'],
    },
    address: 'GOOGLE_GEMINI_BASE_URL',
    origin: 'https://generativelanguage.googleapis.com',
    version: '',
    title: 'Google',
  },
}

/** All APIs for which a command may have a key. */
export const FAMILIES: readonly Family[] = ['anthropic', 'openai', 'google']

/** The provider to which a trial's requests of one API go. */
export interface Upstream {
  readonly route: GatewayRoute
  readonly baseUrl: string
  /** The pool whose limits these requests share with the requests of plain models. */
  readonly pool: string
}

/**
 * Finds the providers that an agent with this environment would use. Only providers with a key that the gateway can
 * replace are returned.
 */
export function upstreamsOf(families: readonly Family[], env: Variables): readonly Upstream[] {
  return families.flatMap((family) => {
    const route = ROUTES[family]
    if (!Object.keys(route.keys).some((name) => (env[name] ?? '') !== '')) return []
    const given = env[route.address]?.replace(/\/+$/u, '') ?? ''
    const baseUrl = given === '' ? route.origin : given
    return [{ route, baseUrl, pool: poolOf(route, baseUrl) }]
  })
}

/** Returns the name of the pool that plain models at the same address use. */
function poolOf({ provider, address }: GatewayRoute, baseUrl: string): string {
  const { baseUrl: own, api } = findProvider(provider, { env: {} })
  const url = checkedUrl(baseUrl, address, api)
  return url === own ? provider : `${provider} ${url}`
}

/** Returns the pools of these providers, with the same limits as for plain models of these providers. */
export const requestPools = (
  upstreams: readonly Upstream[],
): NonNullable<Subject['requestPools']> =>
  upstreams.map(({ pool, route }) => ({
    pool,
    concurrency: findProvider(route.provider, { env: {} }).concurrency,
  }))

/** Creates the secrets of a trial: one for each key that the agent would get. */
export const keysOf = (upstreams: readonly Upstream[], env: Variables): readonly TrialKey[] =>
  upstreams.flatMap(({ route }) =>
    Object.entries(route.keys).flatMap(([variable, places]) => {
      const key = env[variable] ?? ''
      return key === ''
        ? []
        : [{ variable, family: route.family, key: key.trim(), secret: newSecret(), places }]
    }),
  )

/**
 * Returns the variables that the agent gets: secrets instead of keys, and the gateway's address instead of the
 * provider's.
 */
export const variablesOf = (
  upstreams: readonly Upstream[],
  keys: readonly TrialKey[],
  origin: string,
): Variables =>
  Object.fromEntries([
    ...keys.map(({ variable, secret }) => [variable, secret] as const),
    ...upstreams.map(({ route }) => [route.address, `${origin}${route.version}`] as const),
  ])
