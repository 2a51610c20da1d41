/** Reads the JSON in the body of a request. */
import type { IncomingMessage } from 'node:http'
import { Refusal } from './refusal.ts'

/** The size limit of a body. Even a label with the longest names and note is smaller. */
const MOST_BYTES = 64 * 1024

export async function jsonIn(request: IncomingMessage): Promise<unknown> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json(?:;|$)/i.test(type)) throw new Refusal(400, 'expected JSON')
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > MOST_BYTES) throw new Refusal(413, 'this request is too large')
    pieces.push(piece)
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces)))
  } catch {
    throw new Refusal(400, 'this is not valid JSON')
  }
}
