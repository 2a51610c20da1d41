/**
 * Sends HTTP requests to one provider with Node's own HTTP client. It has the interface of `fetch`, which the AI SDK
 * expects. Node's `fetch` itself has three problems. It gives up if no headers come within five minutes, but a
 * reasoning model can take longer. It follows redirects, which would send `x-api-key` to another host. And its sockets
 * cannot be closed. Here, only the caller's signal limits the time, a redirect is returned like any other reply, the
 * size of a reply is limited, and `close` ends every connection.
 */
import { isUtf8 } from 'node:buffer'
import type http from 'node:http'
import type https from 'node:https'
import { ownVariables } from '../../environment/index.ts'
import { nodeHttp, nodeHttps } from './node-http.ts'

/** A complete reply. */
export interface Reply {
  readonly status: number
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /**
   * False if the reply was not valid UTF-8. `text` then contains replacement characters instead of the invalid bytes.
   */
  readonly isUtf8: boolean
}

export interface Sending {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal
}

/**
 * The most bytes of a reply. No answer of a model is nearly this large. A server that sends more is broken or hostile.
 */
export const MOST_REPLY_BYTES = 32 * 1024 * 1024

export class ReplyTooLarge extends Error {
  override readonly name = 'ReplyTooLarge'
}

export class Connection {
  readonly #plain: http.Agent
  readonly #secure: https.Agent

  constructor(env: NodeJS.ProcessEnv = ownVariables()) {
    // As in Node itself, the proxy variables of the environment apply only if NODE_USE_ENV_PROXY is 1.
    const proxy = env['NODE_USE_ENV_PROXY'] === '1' ? { proxyEnv: env } : {}
    this.#plain = new (nodeHttp().Agent)({ keepAlive: true, ...proxy })
    this.#secure = new (nodeHttps().Agent)({ keepAlive: true, ...proxy })
  }

  /** Returns the whole reply, whatever its status. Rejects if there is no reply or the signal aborts. */
  send({ method, url, headers, body, signal }: Sending): Promise<Reply> {
    const secure = url.protocol === 'https:'
    const agent = secure ? this.#secure : this.#plain
    return new Promise((resolve, reject) => {
      const request = (secure ? nodeHttps() : nodeHttp()).request(url, {
        method,
        agent,
        signal,
        headers: {
          ...headers,
          // The request asks for a reply without compression. A small compressed reply could fill the memory when it is
          // unpacked.
          'accept-encoding': 'identity',
          ...(body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        },
      })
      request.on('error', reject)
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        let bytes = 0
        response.on('error', reject)
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > MOST_REPLY_BYTES) {
            request.destroy(new ReplyTooLarge(`the reply is larger than ${MOST_REPLY_BYTES} bytes`))
          } else chunks.push(chunk)
        })
        response.on('end', () => {
          const received = Buffer.concat(chunks)
          resolve({
            status: response.statusCode ?? 0,
            headers: plainHeaders(response.headers),
            text: received.toString('utf8'),
            isUtf8: isUtf8(received),
          })
        })
      })
      request.end(body ?? undefined)
    })
  }

  close(): void {
    this.#plain.destroy()
    this.#secure.destroy()
  }
}

function plainHeaders(headers: http.IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return plain
}
