/**
 * The server of the workbench: plain HTTP on loopback. `guard.ts` decides which requests are answered, and
 * `routes.ts` answers them. Nothing in a request is used as a path or as a program.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RunError, UsageError } from '@assay/contract'
import { assetAt } from './assets.ts'
import { Guard } from './guard.ts'
import { Refusal } from './request/refusal.ts'
import { answerTo, type Services } from './routes.ts'
import { streamEvents } from './events.ts'

export interface ViewServer {
  readonly port: number
  /** The address with the token, to show to the user. */
  readonly address: string
  /** Returns an address whose token works only once, for the program that opens a browser. */
  readonly addressForOnce: (run?: string) => string
  readonly close: () => Promise<void>
}

export interface ServeOptions {
  readonly services: Services
  /** The first port to try. If it is busy, the following ports are tried. 0 means any free port. */
  readonly port: number
}

/** How many ports are tried, one after the other. */
const MOST_PORTS = 50
const HOST = '127.0.0.1'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

export async function serve({ services, port }: ServeOptions): Promise<ViewServer> {
  const guard = new Guard()
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 })
  server.on('request', (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    void respond(request, response, { guard, services, port: portOf(server) })
  })
  await listen(server, port)
  const bound = portOf(server)
  const addressWith = (token: string, run?: string): string =>
    `http://${HOST}:${bound}/?token=${token}${run === undefined ? '' : `&run=${encodeURIComponent(run)}`}`
  return {
    port: bound,
    address: addressWith(guard.token),
    addressForOnce: (run) => addressWith(guard.tokenForOnce(), run),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo | null)?.port ?? 0

async function listen(server: Server, first: number): Promise<void> {
  for (let port = first; ; port++) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, HOST, () => {
          server.off('error', reject)
          resolve()
        })
      })
      return
    } catch (error) {
      const isBusy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (isBusy && first > 0 && port - first < MOST_PORTS && port < 65_535) continue
      throw new UsageError(`cannot listen on port ${port}: ${(error as Error).message}`, {
        cause: error,
      })
    }
  }
}

interface Setting {
  readonly guard: Guard
  readonly services: Services
  readonly port: number
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { guard, services, port }: Setting,
): Promise<void> {
  try {
    const url = urlOf(request)
    if (url === null) return send(response, 400, 'text/plain', 'not an address\n')
    const decision = guard.decide(request, url, port)
    if (decision.kind === 'refused')
      return send(response, decision.status, 'text/plain', `${decision.why}\n`)
    if (decision.kind === 'enter') {
      response.setHeader('set-cookie', decision.cookie)
      return send(response, 200, 'text/html; charset=utf-8', entrance(url))
    }
    const asset = request.method === 'GET' ? assetAt(url.pathname) : null
    if (asset !== null) return send(response, 200, asset.type, asset.content)
    if (url.pathname === '/api/events') return streamEvents(url, response, services.store)
    const answer = await answerTo(request, url, services)
    send(response, 200, 'application/json', JSON.stringify(answer))
  } catch (error) {
    if (error instanceof Refusal) return sendError(response, error.status, error.message)
    // A run folder cannot be read, or was deleted in the meantime. The page shows the reason.
    const isKnown = error instanceof UsageError || error instanceof RunError
    const { code } = error as NodeJS.ErrnoException
    sendError(response, isKnown || code === 'ENOENT' ? 409 : 500, (error as Error).message)
  }
}

/** Returns the URL of a request. Null if its target is not a path, as in a request to a proxy. */
function urlOf({ url = '' }: IncomingMessage): URL | null {
  if (!url.startsWith('/') || url.startsWith('//')) return null
  return URL.parse(url, 'http://localhost')
}

const RUN_KEY = /^[\w.~-]{1,120}$/

/**
 * Returns the page that is shown for the address with the token. It leads to the page without the token. An HTTP
 * redirect would not work: if the user came from a link on another site, the browser would not send the strict
 * cookie with the redirected request.
 */
function entrance(url: URL): string {
  const run = url.searchParams.get('run') ?? ''
  const to = RUN_KEY.test(run) ? `/#/runs/${run}` : '/'
  return `<!doctype html><meta charset="utf-8"><title>Assay</title><meta http-equiv="refresh" content="0;url=${to}">`
}

const sendError = (response: ServerResponse, status: number, message: string): void =>
  send(response, status, 'application/json', JSON.stringify({ error: message }))

function send(
  response: ServerResponse,
  status: number,
  type: string,
  content: string | Uint8Array,
): void {
  if (response.headersSent) {
    response.end()
    return
  }
  response.writeHead(status, { 'content-type': type })
  response.end(content)
}
