/** A provider on loopback that keeps every request byte for byte and sends exactly the bytes that a test gives. */
import http from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export interface RawRequest {
  readonly method: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

export interface RawAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent one by one. */
  readonly chunks?: readonly (string | Buffer)[]
  /** What happens after the chunks: the reply ends, the connection breaks, or nothing. */
  readonly after?: 'end' | 'reset' | 'hang'
}

export interface RawProvider {
  readonly origin: string
  readonly requests: readonly RawRequest[]
  close(): Promise<void>
}

export async function startRawProvider(
  answer: (request: RawRequest, number: number) => RawAnswer | Promise<RawAnswer>,
): Promise<RawProvider> {
  const requests: RawRequest[] = []
  const server = http.createServer((incoming, response) => {
    void (async () => {
      const parts: Buffer[] = []
      for await (const part of incoming as AsyncIterable<Buffer>) parts.push(part)
      const request = {
        method: incoming.method ?? '',
        url: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(parts),
      }
      requests.push(request)
      const {
        status = 200,
        headers = {},
        chunks = [],
        after = 'end',
      } = await answer(request, requests.length)
      if (chunks.length > 0 || after === 'end') response.writeHead(status, headers)
      for (const chunk of chunks) {
        response.write(chunk)
        await new Promise((resolve) => setImmediate(resolve))
      }
      if (after === 'end') response.end()
      else if (after === 'reset') response.socket?.destroy()
    })().catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
