/**
 * The gateway between agents and their models: one server on loopback for all trials of a subject. Each trial has its
 * own address and its own secrets, so it can use neither the user's key nor another trial's.
 */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AgentLimits, ModelRequests, ServeRequest } from '@assay/contract'
import type { Variables } from '../../environment/index.ts'
import type { PriceOf } from '../agent/trajectory/spent.ts'
import { nodeHttp } from '../model/node-http.ts'
import { keysOf, variablesOf, type Upstream } from './route.ts'
import type { ReplayedTrial } from './traffic/replayed-trial.ts'
import type { SkillText } from './skill-text.ts'
import { TrafficRecorder } from './traffic/traffic-recorder.ts'
import { TrialGateway } from './trial-gateway.ts'
import { refuse } from './wire-http.ts'
import { UpstreamConnections } from './upstream.ts'

export interface OpenTrial {
  readonly limits: AgentLimits | null
  /** The skills whose use is looked for in the requests. */
  readonly skills?: readonly SkillText[]
  /** Whether the traffic is kept. */
  readonly isRecorded?: boolean
  /** Answers in place of the provider. */
  readonly replayed?: ReplayedTrial | null
  /** Undefined if there is no run, as in tests. Requests are then sent at once, and never again. */
  readonly requests: ModelRequests | undefined
  readonly now: () => number
  readonly stop: () => void
  /** The address at which the agent reaches `serve`. Absent if it can reach the loopback of this machine. */
  readonly inside?: string
}

export interface OpenedTrial {
  /** The variables that the agent gets in place of its keys and addresses. */
  readonly env: Variables
  readonly trial: TrialGateway
  readonly recorder: TrafficRecorder | null
  /** Ends the trial's requests and refuses all later ones. */
  close(): Promise<void>
}

/** The time in which a provider must begin its reply. A reasoning model may think for minutes. */
const REPLY_MS = 10 * 60_000

/** More connections at once are refused, so that agents cannot use up the file descriptors of Assay. */
const MOST_CONNECTIONS = 4096

const DIRECT: ModelRequests = { send: (_, __, attempt) => attempt(), paid: () => {} }

export class Gateway {
  readonly #upstreams: readonly Upstream[]
  readonly #env: Variables
  readonly #priceFor: (provider: string) => PriceOf
  readonly #replyMs: number
  readonly #trials = new Map<string, TrialGateway>()
  readonly #connections = new UpstreamConnections()
  #server: Promise<{ readonly server: Server; readonly origin: string }> | null = null

  /** `env` is the environment that the agent would get without the gateway. */
  constructor(
    upstreams: readonly Upstream[],
    env: Variables,
    priceFor: (provider: string) => PriceOf,
    replyMs = REPLY_MS,
  ) {
    this.#upstreams = upstreams
    this.#env = env
    this.#priceFor = priceFor
    this.#replyMs = replyMs
  }

  async open(opening: OpenTrial): Promise<OpenedTrial> {
    const { limits, skills = [], requests = DIRECT, now, stop, inside } = opening
    const { isRecorded = false, replayed = null } = opening
    const origin = inside ?? (await (this.#server ??= this.#listen())).origin
    const keys = keysOf(this.#upstreams, this.#env)
    const id = randomBytes(12).toString('hex')
    const recorder = isRecorded ? new TrafficRecorder(keys.map(({ variable }) => variable)) : null
    const trial = new TrialGateway({
      upstreams: this.#upstreams,
      keys,
      connections: this.#connections,
      requests,
      priceFor: this.#priceFor,
      limits,
      recorder,
      replayed,
      skills,
      timeoutMs: this.#replyMs,
      now,
      stop,
    })
    this.#trials.set(id, trial)
    return {
      env: variablesOf(this.#upstreams, keys, `${origin}/${id}`),
      trial,
      recorder,
      close: async () => {
        this.#trials.delete(id)
        await trial.close()
      },
    }
  }

  /** Answers a request, wherever it comes from. Its path begins with the trial's own part. */
  readonly serve: ServeRequest = (incoming, response) => {
    const [address, query] = splitOnce(incoming.url ?? '', '?')
    const [id, path] = splitOnce(address.slice(1), '/')
    const trial = this.#trials.get(id)
    if (trial === undefined) refuse(response, 404, 'there is no such trial')
    else trial.handle(incoming, response, `/${path}`, query)
  }

  async close(): Promise<void> {
    const opened = await this.#server?.catch(() => null)
    opened?.server.closeAllConnections()
    opened?.server.close()
    await Promise.all([...this.#trials.values()].map((trial) => trial.close()))
    this.#connections.close()
  }

  async #listen(): Promise<{ readonly server: Server; readonly origin: string }> {
    // A request may take as long as its provider, so only the gateway's own limits apply.
    const server = nodeHttp().createServer({ requestTimeout: 0 }, this.serve)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    server.on('error', () => {})
    server.maxConnections = MOST_CONNECTIONS
    server.unref()
    return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }
}

function splitOnce(text: string, at: string): readonly [string, string] {
  const index = text.indexOf(at)
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)]
}
