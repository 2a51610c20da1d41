/**
 * Sends HTTP requests to one provider with Node's own client, behind the interface of `fetch` that the AI SDK
 * expects. Node's `fetch` has three problems. It gives up after five minutes without headers, and a model
 * that reasons can take longer. It follows redirects, which would send `x-api-key` to another host. And its
 * sockets cannot be closed. Here the caller's signal is the only deadline, a redirect is returned like any
 * other reply, a reply has a size limit, and `close` ends every connection.
 */
import { isUtf8 } from 'node:buffer'
import http from 'node:http'
import https from 'node:https'
import { ownVariables } from '../../environment/index.ts'

/** A complete reply. */
export interface Reply {
  readonly status: number
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** False if the reply was not valid UTF-8: the text then has replacement characters. */
  readonly isUtf8: boolean
}

export interface Sending {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal
}

/** No answer of a model is nearly this large. A server that sends more is broken or hostile. */
export const MOST_REPLY_BYTES = 32 * 1024 * 1024

export class ReplyTooLarge extends Error {
  override readonly name = 'ReplyTooLarge'
}

export class Connection {
  readonly #plain: http.Agent
  readonly #secure: https.Agent

  constructor(env: NodeJS.ProcessEnv = ownVariables()) {
    // Proxies are read from the environment only with the switch that Node uses for this.
    const proxy = env['NODE_USE_ENV_PROXY'] === '1' ? { proxyEnv: env } : {}
    this.#plain = new http.Agent({ keepAlive: true, ...proxy })
    this.#secure = new https.Agent({ keepAlive: true, ...proxy })
  }

  /** Returns the whole reply, whatever its status. Rejects if there is no reply or the signal aborts. */
  send({ method, url, headers, body, signal }: Sending): Promise<Reply> {
    const secure = url.protocol === 'https:'
    const agent = secure ? this.#secure : this.#plain
    return new Promise((resolve, reject) => {
      const request = (secure ? https : http).request(url, {
        method,
        agent,
        signal,
        headers: {
          ...headers,
          // Without compression, a hostile server cannot send a decompression bomb.
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
