/**
 * The gateway is a server on this machine between agents and the providers of their models. All trials of a subject
 * share it. Each trial has its own address and its own secrets instead of API keys. So a trial can use neither the
 * user's keys nor the secrets of another trial.
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
  /** The skills that the gateway looks for in the requests, to find out which of them the agent used. */
  readonly skills?: readonly SkillText[]
  /** Whether the requests and replies are recorded. */
  readonly isRecorded?: boolean
  /** A recording that answers the requests instead of the provider. */
  readonly replayed?: ReplayedTrial | null
  /**
   * Sends requests within the limits of a run. If undefined, as in tests, requests are sent at once and never retried.
   */
  readonly requests: ModelRequests | undefined
  readonly now: () => number
  readonly stop: () => void
  /**
   * The address at which the agent reaches the gateway. Absent if the agent can reach local addresses of this machine.
   */
  readonly inside?: string
}

export interface OpenedTrial {
  /** The variables that the agent gets instead of those with the user's keys and the providers' addresses. */
  readonly env: Variables
  readonly trial: TrialGateway
  readonly recorder: TrafficRecorder | null
  /** Ends the trial's requests, and refuses all later ones. */
  close(): Promise<void>
}

/** How long a provider may take to begin its reply. A reasoning model may think for minutes before it answers. */
const REPLY_MS = 10 * 60_000

/** The most connections at once. More are refused, so that agents cannot use up Assay's file descriptors. */
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

  /** Answers a request of an agent. The request's path begins with a part that identifies the trial. */
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
    // Node's own time limit for requests is turned off, because a provider may take longer. The gateway has its own
    // limits.
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
