/** Which address a provider's requests go to, and which variable goes with them. */
import { UsageError } from '@assay/contract'
import {
  findProvider,
  isLoopback,
  isOwnOrigin,
  isOwnPair,
  WRITTEN_KEY,
  type ProviderSettings,
  type ProviderSources,
} from '../subject/index.ts'
import { BY_USER, type NamedBy, type SendUse } from './use.ts'

export interface ProviderReach {
  readonly providers: Readonly<Record<string, ProviderSettings>>
  /** Null: every variable that could be sent, whether or not it is set. */
  readonly env: ProviderSources['env'] | null
  /** Who describes the provider in a file. */
  readonly providerBy: (name: string) => NamedBy
}

/** Empty where there is no such provider: whoever makes the subject says so. */
export function providerUses(name: string, reach: ProviderReach, forWhom: string): SendUse[] {
  const { providers, env, providerBy } = reach
  const settings = Object.hasOwn(providers, name) ? providers[name] : undefined
  const provider = found(name, { providers, env: env ?? {} })
  if (provider === null) return []
  const { keyFrom, key, keyMissing, keyVariables, addressBy, addressVariable } = provider
  const url = new URL(provider.baseUrl)
  // Cases, answers and files go there also without a key. Where a key is missing nobody is asked.
  const mayContact =
    addressBy !== 'settings' || isLoopback(url) || isOwnOrigin(url.origin) || keyMissing
  // A server on this machine may pass on what it gets: only what is meant for this provider goes there.
  const isUsual = (variable: string): boolean =>
    variable === WRITTEN_KEY || (found(name, { env: {} })?.keyVariables.includes(variable) ?? false)
  const isSafe = (variable: string): boolean => {
    if (isOwnPair(variable, url.origin)) return true
    if (isLoopback(url) && isUsual(variable)) return true
    // Whoever owns the key that a file brings can see what is asked with it.
    if (variable === WRITTEN_KEY) return false
    // The user's environment says where this provider is, and nobody chose another variable for it.
    return addressBy !== 'settings' && namedBySettings(settings).variable === undefined
  }
  const sent = env === null ? (keyFrom === WRITTEN_KEY ? [keyFrom] : keyVariables) : [keyFrom]
  const variables = key === null && env !== null ? [] : sent.filter((one) => one !== null)
  const by = settings === undefined ? BY_USER : providerBy(name)
  const send = (variable: string | null): SendUse => ({
    does: 'send',
    variable,
    to: url.origin,
    ...(addressVariable === null ? {} : { toVariable: addressVariable }),
    isSafe: variable === null ? mayContact : isSafe(variable),
    by,
    for: forWhom,
  })
  return variables.length === 0 ? [send(null)] : variables.map(send)
}

/** All that settings can say of a provider: a new key does not compile until somebody has decided what it can send. */
function namedBySettings(settings: ProviderSettings = {}): {
  readonly variable: string | undefined
} {
  const { baseUrl: _address, apiKeyEnv, apiKey: _key, api: _api, ...rest } = settings
  rest satisfies Record<string, never>
  return { variable: apiKeyEnv }
}

function found(name: string, sources: ProviderSources) {
  try {
    return findProvider(name, sources)
  } catch (error) {
    if (error instanceof UsageError) return null
    throw error
  }
}
