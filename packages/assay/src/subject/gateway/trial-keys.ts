/**
 * The keys of one trial. The agent gets a throwaway secret in place of each of the user's keys. The gateway accepts a
 * request only with such a secret of the same trial, and replaces it by the key before it sends the request on. So the
 * key itself never enters the sandbox.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Family } from './model-path.ts'

export interface TrialKey {
  /** The variable that the agent reads its key from. */
  readonly variable: string
  readonly family: Family
  readonly key: string
  readonly secret: string
  /** Where the provider expects it: the names of headers, or `?key` in the query. */
  readonly places: readonly string[]
}

/** The prefix looks like that of a key, because some agents check the form of their key. */
export const newSecret = (): string => `sk-assay-${randomBytes(24).toString('hex')}`

/** Headers that carry a key, besides `authorization`. */
const KEY_HEADERS = ['x-api-key', 'x-goog-api-key', 'api-key'] as const
const BEARER = /^Bearer +(\S+)$/iu

export interface Authorized {
  readonly key: TrialKey
  readonly headers: OutgoingHttpHeaders
  readonly query: string
}

/** Headers that belong to one connection, or that are written anew. */
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
 * Returns the headers and the query with the key in place of the secret. Null if there is no secret of this trial, or
 * another credential next to it.
 */
export function authorize(
  headers: IncomingHttpHeaders,
  query: string,
  keys: readonly TrialKey[],
): Authorized | null {
  const found = new Set<TrialKey | undefined>()
  // In another place the provider would refuse the key itself, and the agent could blame its provider for that.
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
  // Without a key in it, the query is passed on byte for byte.
  const secret = inQuery[0]
  if (secret !== undefined) parameters.set('key', replaced(secret, '?key'))
  const [key, ...others] = found
  if (key === undefined || others.some((one) => one?.family !== key.family)) return null
  return { key, headers: sent, query: secret === undefined ? query : parameters.toString() }
}

const isOfConnection = (name: string, connection: string | undefined): boolean =>
  NOT_PASSED_ON.has(name) ||
  (connection ?? '').split(',').some((one) => one.trim().toLowerCase() === name)

/** Replaces the keys in a text that goes into the sandbox, such as an error message that quotes one. */
export const withoutKeys = (bytes: Buffer, keys: readonly TrialKey[]): Buffer =>
  keys.some(({ key }) => bytes.includes(key))
    ? keys.reduce(
        (left, { key, secret }) =>
          Buffer.from(left.toString('latin1').replaceAll(key, secret), 'latin1'),
        bytes,
      )
    : bytes
