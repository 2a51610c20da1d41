/** Finds the address to which a provider's requests go, and the environment variable whose key is sent with them. */
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
  /** The environment variables. If null, every variable that could be sent is listed, even if it is not set. */
  readonly env: ProviderSources['env'] | null
  /** Returns who named the provider: a file of the folder, or the user. */
  readonly providerBy: (name: string) => NamedBy
}

/**
 * Returns the addresses that a provider contacts, with the key variable that is sent to each. Empty if there is no
 * such provider. That error is reported later, by the code that creates the subject.
 */
export function providerUses(name: string, reach: ProviderReach, forWhom: string): SendUse[] {
  const { providers, env, providerBy } = reach
  const settings = Object.hasOwn(providers, name) ? providers[name] : undefined
  const provider = found(name, { providers, env: env ?? {} })
  if (provider === null) return []
  const { keyFrom, key, keyMissing, keyVariables, addressBy, addressVariable } = provider
  const url = new URL(provider.baseUrl)
  // Contacting an address can need trust even without a key, because cases, answers and files are sent there. If a
  // required key is missing, no request is made.
  const mayContact =
    addressBy !== 'settings' || isLoopback(url) || isOwnOrigin(url.origin) || keyMissing
  // A server on this machine may forward a key to another server. So only the variable that the provider normally
  // uses for its key is safe to send there.
  const isUsual = (variable: string): boolean =>
    variable === WRITTEN_KEY || (found(name, { env: {} })?.keyVariables.includes(variable) ?? false)
  const isSafe = (variable: string): boolean => {
    if (isOwnPair(variable, url.origin)) return true
    if (isLoopback(url) && isUsual(variable)) return true
    // This is not safe if the settings file itself contains the key. The file may come from somebody else. Then that
    // person's account at the provider would receive all requests.
    if (variable === WRITTEN_KEY) return false
    // This is safe if the settings choose neither the address nor another variable for the key.
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
 * Returns the variable that the settings choose for the key. All settings of a provider are listed here. So if a new
 * setting is added, this function does not compile until somebody decides whether it can send something.
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
