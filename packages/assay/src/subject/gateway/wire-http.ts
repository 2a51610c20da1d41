/** Reads and writes the HTTP messages between the agent, the gateway and the provider. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { decodedBytes } from './decoded.ts'
import { withoutKeys, type TrialKey } from './trial-keys.ts'

/** The most bytes of a request. A request with many pictures has tens of millions. */
const MOST_REQUEST = 128 * 1024 * 1024
/** The most bytes of a reply that is read as a whole. Such replies are errors and lists of models. */
const MOST_REPLY = 4 * 1024 * 1024

/** A reply that was read as a whole. */
export interface WholeReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  readonly text: string
}

/** Returns the body of a request. Returns null if it is too large. `mayHold` is called for each part of the body. */
export async function wholeBody(
  incoming: IncomingMessage,
  mayHold: (bytes: number) => boolean,
): Promise<Buffer | null> {
  return await read(incoming, MOST_REQUEST, mayHold)
}

/** Reads a reply as a whole. Rejects if the reply is too large. */
export async function wholeReply(reply: IncomingMessage): Promise<WholeReply> {
  const sent = await read(reply, MOST_REPLY)
  if (sent === null) {
    reply.destroy()
    throw new Error(`the reply is larger than ${MOST_REPLY} bytes`)
  }
  // The text is passed on without compression, because a key in it could not be found otherwise.
  const bytes = await decodedBytes(reply.headers['content-encoding'], sent)
  const { 'content-encoding': _, ...headers } = replyHeaders(reply, true)
  return {
    status: reply.statusCode ?? 502,
    headers: plainHeaders(headers),
    bytes,
    text: bytes.toString('utf8'),
  }
}

async function read(
  message: IncomingMessage,
  most: number,
  mayHold: (bytes: number) => boolean = () => true,
): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > most || !mayHold(chunk.length)) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Returns the headers of a reply that are passed on. If bytes of the body are removed, the length is left out. */
export function replyHeaders(
  { headers }: IncomingMessage,
  isLengthUnknown: boolean,
): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !OF_CONNECTION.has(name) && !(isLengthUnknown && name === 'content-length'),
    ),
  )
}

const plainHeaders = (headers: OutgoingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)] as const))

/**
 * Sends a reply that was read as a whole. The user's keys in it are replaced, because error messages often contain
 * them.
 */
export function sendReply(
  response: ServerResponse,
  { status, headers, bytes }: WholeReply,
  keys: readonly TrialKey[],
): void {
  if (response.headersSent || response.destroyed) return
  const clean = Object.entries(headers).map(([name, value]) => [
    name,
    withoutKeys(Buffer.from(value, 'latin1'), keys).toString('latin1'),
  ])
  response.writeHead(status, Object.fromEntries(clean) as OutgoingHttpHeaders)
  response.end(withoutKeys(bytes, keys))
}

/** Answers a request that is not passed on. The error has a form that the clients of all providers can show. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(
    JSON.stringify({
      type: 'error',
      error: { type: 'gateway', code: status, message: `Assay's gateway: ${message}` },
    }),
  )
}
