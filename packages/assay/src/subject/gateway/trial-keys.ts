/**
 * The secrets of one trial. The agent gets a random secret instead of each of the user's keys. The gateway accepts only
 * requests with a secret of the same trial, and replaces the secret by the key before it sends the request on. So the
 * key itself never enters the sandbox.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Family } from './model-path.ts'

export interface TrialKey {
  /** The variable from which the agent reads its key. */
  readonly variable: string
  readonly family: Family
  readonly key: string
  readonly secret: string
  /** Where the provider expects the key: names of headers, or `?key` for the query. */
  readonly places: readonly string[]
}

/** Creates a secret. It begins like a key of OpenAI, because some agents check the form of their key. */
export const newSecret = (): string => `sk-assay-${randomBytes(24).toString('hex')}`

/** The headers that can contain a key, in addition to `authorization`. */
const KEY_HEADERS = ['x-api-key', 'x-goog-api-key', 'api-key'] as const
const BEARER = /^Bearer +(\S+)$/iu

export interface Authorized {
  readonly key: TrialKey
  readonly headers: OutgoingHttpHeaders
  readonly query: string
}

/** Headers that are not passed on. They belong to one connection, or the gateway writes its own. */
const NOT_PASSED_ON = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Returns the headers and the query with the key instead of the secret. Returns null if the request has no secret of
 * this trial, or if it also contains another credential.
 */
export function authorize(
  headers: IncomingHttpHeaders,
  query: string,
  keys: readonly TrialKey[],
): Authorized | null {
  const found = new Set<TrialKey | undefined>()
  // A secret is replaced only where the provider expects the key. Elsewhere the provider would refuse the key, and the
  // refusal would look like a failure of the provider.
  const replaced = (secret: string, place: string): string => {
    const key = keys.find((one) => one.secret === secret && one.places.includes(place))
    found.add(key)
    return key?.key ?? ''
  }
  const sent: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || isOfConnection(name, headers.connection)) continue
    const text = Array.isArray(value) ? value.join(', ') : value
    if (name === 'authorization') {
      const secret = BEARER.exec(text)?.[1]
      if (secret === undefined) return null
      sent[name] = `Bearer ${replaced(secret, name)}`
    } else if ((KEY_HEADERS as readonly string[]).includes(name)) sent[name] = replaced(text, name)
    else sent[name] = value
  }
  const parameters = new URLSearchParams(query)
  const inQuery = parameters.getAll('key')
  if (inQuery.length > 1) return null
  // A query without a key is passed on byte for byte.
  const secret = inQuery[0]
  if (secret !== undefined) parameters.set('key', replaced(secret, '?key'))
  const [key, ...others] = found
  if (key === undefined || others.some((one) => one?.family !== key.family)) return null
  return { key, headers: sent, query: secret === undefined ? query : parameters.toString() }
}

const isOfConnection = (name: string, connection: string | undefined): boolean =>
  NOT_PASSED_ON.has(name) ||
  (connection ?? '').split(',').some((one) => one.trim().toLowerCase() === name)

/**
 * Replaces the user's keys in bytes that go into the sandbox. An error message of a provider, for example, can contain
 * one.
 */
export const withoutKeys = (bytes: Buffer, keys: readonly TrialKey[]): Buffer =>
  keys.some(({ key }) => bytes.includes(key))
    ? keys.reduce(
        (left, { key, secret }) =>
          Buffer.from(left.toString('latin1').replaceAll(key, secret), 'latin1'),
        bytes,
      )
    : bytes
