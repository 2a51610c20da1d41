/** Finds the address that a provider's requests go to, and the variable that is sent with them. */
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
  /** The environment. If null, every variable that could be sent is listed, even if it is not set. */
  readonly env: ProviderSources['env'] | null
  /** Returns which file describes a provider. */
  readonly providerBy: (name: string) => NamedBy
}

/**
 * Returns the addresses that a provider contacts, with the key variable sent to each. Empty if there is no such
 * provider. The code that creates the subject reports that error.
 */
export function providerUses(name: string, reach: ProviderReach, forWhom: string): SendUse[] {
  const { providers, env, providerBy } = reach
  const settings = Object.hasOwn(providers, name) ? providers[name] : undefined
  const provider = found(name, { providers, env: env ?? {} })
  if (provider === null) return []
  const { keyFrom, key, keyMissing, keyVariables, addressBy, addressVariable } = provider
  const url = new URL(provider.baseUrl)
  // Cases, answers and files are sent even without a key. If a required key is missing, no request is made.
  const mayContact =
    addressBy !== 'settings' || isLoopback(url) || isOwnOrigin(url.origin) || keyMissing
  // A server on this machine may forward a key to another server. So only the provider's usual key variable is safe to
  // send there.
  const isUsual = (variable: string): boolean =>
    variable === WRITTEN_KEY || (found(name, { env: {} })?.keyVariables.includes(variable) ?? false)
  const isSafe = (variable: string): boolean => {
    if (isOwnPair(variable, url.origin)) return true
    if (isLoopback(url) && isUsual(variable)) return true
    // Not safe if the settings file itself contains the key. The file may come from somebody else, whose account at the
    // provider then receives all requests.
    if (variable === WRITTEN_KEY) return false
    // Safe if the user's environment sets the address and no settings choose another variable for the key.
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

/**
 * Lists all settings of a provider, so that a new setting does not compile until this function decides whether it can
 * send something.
 */
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
