/**
 * Sends an agent's request to the provider. The reply arrives as a stream. Redirects are not followed, so that the key
 * is not sent to another server. The caller's signal sets the time limit for the start of the reply.
 */
import type { IncomingMessage } from 'node:http'
import type http from 'node:http'
import type https from 'node:https'
import { ownVariables } from '../../environment/index.ts'
import { nodeHttp, nodeHttps } from '../model/node-http.ts'

export interface Forwarded {
  readonly url: URL
  readonly method: string
  readonly headers: http.OutgoingHttpHeaders
  readonly body: Buffer
  readonly signal: AbortSignal
}

export class UpstreamConnections {
  readonly #plain: http.Agent
  readonly #secure: https.Agent

  constructor(env: NodeJS.ProcessEnv = ownVariables()) {
    // The proxy variables of the environment apply only if NODE_USE_ENV_PROXY is 1, as in Node itself.
    const proxy = env['NODE_USE_ENV_PROXY'] === '1' ? { proxyEnv: env } : {}
    this.#plain = new (nodeHttp().Agent)({ keepAlive: true, ...proxy })
    this.#secure = new (nodeHttps().Agent)({ keepAlive: true, ...proxy })
  }

  /** Sends a request. Resolves when the reply begins. */
  send({ url, method, headers, body, signal }: Forwarded): Promise<IncomingMessage> {
    const isSecure = url.protocol === 'https:'
    return new Promise((resolve, reject) => {
      const request = (isSecure ? nodeHttps() : nodeHttp()).request(url, {
        method,
        agent: isSecure ? this.#secure : this.#plain,
        headers,
        signal,
      })
      request.on('error', reject)
      request.on('response', resolve)
      // A GET request has no body. Node would send the body without a length, and the provider would read it as another
      // request.
      request.end(method === 'POST' && body.length > 0 ? body : undefined)
    })
  }

  close(): void {
    this.#plain.destroy()
    this.#secure.destroy()
  }
}
