/**
 * A model provider on loopback: real HTTP in the wire formats of OpenAI (chat completions and responses), Anthropic
 * (messages) and Google (generateContent). Faults come from a script or from a mix that is drawn with a seed. The
 * server counts and keeps its requests.
 */
import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { drawFault, effectOf, type Effect, type Fault, type FaultMix } from './faults.ts'
import {
  readRequest,
  replyBody,
  routeOf,
  type Body,
  type ModelReply,
  type ModelRequest,
} from './wire.ts'

export interface ModelServerOptions {
  /** The answer. Default: the prompt itself. */
  readonly answer?: (request: ModelRequest) => string | ModelReply | Promise<string | ModelReply>
  /**
   * The faults in order of arrival, or by request. Null means no fault. After the end of the list there are no more
   * faults.
   */
  readonly script?: readonly (Fault | null)[] | ((request: ModelRequest) => Fault | Effect | null)
  /** The faults of requests for which the script names none. */
  readonly mix?: FaultMix
  /** The delay before every reply. */
  readonly latencyMs?: number | ((request: ModelRequest) => number)
  /** Says which requests count as the same. Default: those with the same model and prompt. */
  readonly key?: (request: Omit<ModelRequest, 'attempt'>) => string
  /** The names that GET /v1/models lists. */
  readonly models?: readonly string[]
  /** True if bodies and headers are not kept, for long runs. */
  readonly forget?: boolean
  readonly port?: number
  readonly now?: () => number
}

export interface Counts {
  readonly requests: number
  /** The number of replies that were sent completely, including faulty ones. */
  readonly replied: number
  readonly inFlight: number
  readonly mostInFlight: number
  readonly perModel: Readonly<Record<string, number>>
  readonly perKey: Readonly<Record<string, number>>
  readonly perFault: Readonly<Record<string, number>>
}

export class ModelServer {
  /** All requests in order of arrival, unless they are not kept. */
  readonly requests: ModelRequest[] = []
  readonly #options: ModelServerOptions
  readonly #server: http.Server
  readonly #sockets = new Set<Socket>()
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #perModel = new Map<string, number>()
  readonly #perKey = new Map<string, number>()
  readonly #perFault = new Map<string, number>()
  #count = 0
  #replied = 0
  #inFlight = 0
  #mostInFlight = 0

  private constructor(options: ModelServerOptions) {
    this.#options = options
    this.#server = http.createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        // This is an error of the test itself. It becomes visible as an unexpected answer.
        if (!response.headersSent) response.writeHead(599)
        response.end(String(error))
      })
    })
    // By default, Node closes a connection that was idle for five seconds. On a busy machine it did so while a client
    // sent its next request, which then failed without any fault that the test had planned.
    this.#server.keepAliveTimeout = 0
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  static async start(options: ModelServerOptions = {}): Promise<ModelServer> {
    const server = new ModelServer(options)
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject)
      server.#server.listen(options.port ?? 0, '127.0.0.1', resolve)
    })
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** "http://127.0.0.1:PORT", without a version. */
  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get counts(): Counts {
    return {
      requests: this.#count,
      replied: this.#replied,
      inFlight: this.#inFlight,
      mostInFlight: this.#mostInFlight,
      perModel: Object.fromEntries(this.#perModel),
      perKey: Object.fromEntries(this.#perKey),
      perFault: Object.fromEntries(this.#perFault),
    }
  }

  /** The number of open connections, including idle ones. */
  get connections(): number {
    return this.#sockets.size
  }

  /** Closes all connections, also those that wait for a reply. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #serve(incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? '/', 'http://127.0.0.1').pathname
    if (incoming.method === 'GET') return this.#serveList(path, response)
    const route = routeOf(path)
    if (route === null)
      return write(response, 404, {}, JSON.stringify({ error: { message: path } }))
    this.#inFlight++
    this.#mostInFlight = Math.max(this.#mostInFlight, this.#inFlight)
    response.once('close', () => this.#inFlight--)
    response.once('finish', () => this.#replied++)
    const text = await readAll(incoming)
    const request = this.#record({
      ...readRequest(route, JSON.parse(text) as Body),
      headers: incoming.headers,
      number: this.#count + 1,
    })
    await this.#wait(request)
    if (response.destroyed) return
    await this.#reply(request, response)
  }

  #serveList(path: string, response: http.ServerResponse): void {
    if (path === '/counts') write(response, 200, {}, JSON.stringify(this.counts))
    else if (path.endsWith('/models')) {
      const data = (this.#options.models ?? ['test']).map((id) => ({ id, object: 'model' }))
      write(response, 200, {}, JSON.stringify({ object: 'list', data }))
    } else write(response, 404, {}, '{}')
  }

  #record(request: Omit<ModelRequest, 'attempt'>): ModelRequest {
    this.#count++
    const key = this.#options.key?.(request) ?? `${request.model} ${request.prompt}`
    const whole = { ...request, attempt: raise(this.#perKey, key) }
    raise(this.#perModel, request.model)
    if (this.#options.forget !== true) this.requests.push(whole)
    return whole
  }

  async #wait(request: ModelRequest): Promise<void> {
    const { latencyMs = 0 } = this.#options
    const ms = typeof latencyMs === 'number' ? latencyMs : latencyMs(request)
    if (ms <= 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        resolve()
      }, ms)
      this.#timers.add(timer)
    })
  }

  async #reply(request: ModelRequest, response: http.ServerResponse): Promise<void> {
    const effect = this.#effect(request)
    if (effect?.kind === 'raw') {
      const { status, headers = {}, body } = effect.reply
      return write(response, status, headers, body)
    }
    if ((effect?.kind === 'reset' || effect?.kind === 'hang') && !effect.midBody) {
      if (effect.kind === 'reset') response.socket?.resetAndDestroy()
      return
    }
    const said = (await this.#options.answer?.(request)) ?? `You said: ${request.prompt}`
    const reply = typeof said === 'string' ? { text: said } : said
    const changed = effect?.kind === 'reply' ? effect.change(reply) : reply
    const body = JSON.stringify(replyBody(request, changed))
    if (effect?.kind !== 'reset' && effect?.kind !== 'hang') return write(response, 200, {}, body)
    const bytes = Buffer.from(body)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
    await new Promise<void>((resolve) => {
      response.write(bytes.subarray(0, bytes.length / 2), () => resolve())
    })
    if (effect.kind === 'reset') response.socket?.resetAndDestroy()
  }

  #effect(request: ModelRequest): Effect | null {
    const { script, mix, now = Date.now } = this.#options
    const scripted =
      typeof script === 'function' ? script(request) : (script?.[request.number - 1] ?? null)
    const fault = scripted ?? (mix === undefined ? null : drawFault(mix, request))
    if (fault === null) return null
    raise(this.#perFault, typeof fault === 'string' ? fault : fault.kind)
    return typeof fault === 'string' ? effectOf(fault, request, now()) : fault
  }
}

export function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  return ModelServer.start(options)
}

function raise(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  return count
}

async function readAll(incoming: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function write(
  response: http.ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body)
}
