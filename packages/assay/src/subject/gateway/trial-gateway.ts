/**
 * The gateway for one trial. It receives the agent's requests, sends them to the provider with the user's key, and
 * counts the usage that the provider reports. Bytes pass through unchanged in both directions, with two exceptions: the
 * key is replaced, and in streams of OpenAI's chat API the usage is requested (`include-usage.ts`).
 *
 * If a request exceeds a limit of the case, the gateway stops the agent. If the agent's last valid request got no
 * answer, the agent counts as having lost its provider, whatever the agent itself reports.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  BudgetUsedUp,
  SubjectError,
  type AgentLimits,
  type ModelRequest,
  type ModelRequests,
  type Usage,
} from '@assay/contract'
import type { LostEnd } from '../agent/agent-kind.ts'
import { overLimit } from '../agent/over-limit.ts'
import type { PriceOf } from '../agent/trajectory/spent.ts'
import type { Counts } from '../agent/trajectory/trajectory-builder.ts'
import { child, isRecord, parseJson } from '../json.ts'
import { failedConnection, failedReply, timedOut, type Asked } from '../model/failure.ts'
import { decodedBytes } from './decoded.ts'
import { estimatedUsage } from './estimated-usage.ts'
import { Evidence, type Noticed } from './evidence.ts'
import { Figures } from './figures.ts'
import { withIncludeUsage, withoutUsageEvent, type EventFilter } from './include-usage.ts'
import { isKeyRefused } from './key-refused.ts'
import { isAgentsFault, lostBy, reasonOf } from './lost.ts'
import { modelPath, type ModelPath } from './model-path.ts'
import { OwnRate } from './own-rate.ts'
import { passReply, type Passed } from './pass-reply.ts'
import { refuse, sendReply, wholeBody, wholeReply, type WholeReply } from './wire-http.ts'
import type { Upstream } from './route.ts'
import type { ReplayedTrial } from './traffic/replayed-trial.ts'
import type { SkillText } from './skill-text.ts'
import {
  askedPath,
  type Asked as AskedTraffic,
  type TrafficRecorder,
} from './traffic/traffic-recorder.ts'
import { authorize, type Authorized, type TrialKey } from './trial-keys.ts'
import type { UpstreamConnections } from './upstream.ts'

export interface TrialGatewayOptions {
  readonly upstreams: readonly Upstream[]
  readonly keys: readonly TrialKey[]
  readonly connections: UpstreamConnections
  readonly requests: ModelRequests
  /** Returns a function that prices the tokens of a provider's models. */
  readonly priceFor: (provider: string) => PriceOf
  readonly limits: AgentLimits | null
  /** The skills that the gateway looks for in the requests, to find out which of them the agent used. */
  readonly skills: readonly SkillText[]
  /** Records the traffic. Null if it is not recorded. */
  readonly recorder: TrafficRecorder | null
  /** A recording that answers instead of the provider. Null if the provider is asked. */
  readonly replayed: ReplayedTrial | null
  /** How long a reply may take to begin, and how long it may pause. */
  readonly timeoutMs: number
  /** Returns the milliseconds since the trial's start. */
  readonly now: () => number
  /** Stops the agent. */
  readonly stop: () => void
}

/** One request to a model, from its arrival to its end. */
interface Call {
  readonly path: ModelPath & { readonly api: NonNullable<ModelPath['api']> }
  readonly upstream: Upstream
  readonly model: string
  readonly url: URL
  readonly authorized: Authorized
  readonly body: Buffer
  readonly filter: EventFilter | null
  /** What the request shows about the agent's work. */
  readonly noticed: Noticed
  /** The number of the request in its trial, from 1. */
  readonly number: number
  readonly asked: AskedTraffic
  /** The position of the request in the recorded traffic. */
  readonly place: number
  readonly from: number
  readonly signal: AbortSignal
  attempts: number
}

/** A request of the agent before it is read. */
interface Asking {
  readonly path: string
  readonly query: string
  /** Counts bytes that are held in memory. Returns false if there are too many. */
  readonly mayHold: (bytes: number) => boolean
}

export class TrialGateway {
  readonly figures = new Figures()
  readonly evidence: Evidence
  readonly #options: TrialGatewayOptions
  readonly #closing = new AbortController()
  readonly #active = new Set<Promise<void>>()
  #inFlight = 0
  #calls = 0
  /** How many bytes of requests are held in memory. */
  #held = 0
  #lost: LostEnd | null = null
  /** The number of the request that determined `#lost`. */
  #decidedBy = 0
  #overLimit: string | null = null
  #isOutOfBudget = false
  readonly #rate = new OwnRate()

  constructor(options: TrialGatewayOptions) {
    this.#options = options
    this.evidence = new Evidence(options.skills)
  }

  /** How the agent lost its provider. Null if its last request was answered, or if it sent none. */
  get lost(): LostEnd | null {
    return this.#lost
  }

  /** The limit of the case that the agent exceeded. Null if it exceeded none. */
  get overLimit(): string | null {
    return this.#overLimit
  }

  get isOutOfBudget(): boolean {
    return this.#isOutOfBudget
  }

  /** The counts to which the limits of a case apply. */
  get counts(): Counts {
    return { ...this.figures.counts, toolCalls: this.evidence.toolCalls }
  }

  /** Handles a request. `path` and `query` do not include the part of the path that identifies the trial. */
  handle(incoming: IncomingMessage, response: ServerResponse, path: string, query: string): void {
    let held = 0
    const mayHold = (bytes: number): boolean => {
      held += bytes
      this.#held += bytes
      return this.#held <= MOST_HELD
    }
    const work = this.#handle(incoming, response, { path, query, mayHold })
      .catch(() => {
        response.destroy()
      })
      .finally(() => {
        this.#held -= held
        this.#active.delete(work)
      })
    this.#active.add(work)
  }

  /**
   * Resolves when no request is in flight. The caller must have ended the agent before, which closes its connections.
   */
  async idle(): Promise<void> {
    while (this.#active.size > 0) await Promise.all(this.#active)
  }

  /** Ends the requests in flight. Their usage is counted before the promise resolves. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the trial has ended'))
    await this.idle()
  }

  async #handle(
    incoming: IncomingMessage,
    response: ServerResponse,
    { path, query, mayHold }: Asking,
  ): Promise<void> {
    const found = modelPath(incoming.method ?? '', path)
    if (found === null) return refuse(response, 404, 'this path is not a model call')
    const { keys, upstreams } = this.#options
    const authorized = authorize(incoming.headers, query, keys)
    if (authorized === null) return refuse(response, 401, 'the request has no key of this trial')
    const { family } = authorized.key
    const upstream = upstreams.find(({ route }) => route.family === family)
    if (upstream === undefined || (found.family !== null && found.family !== family))
      return refuse(response, 404, `the key of this trial is not for this path`)
    const body = await wholeBody(incoming, mayHold)
    if (body === null) return refuse(response, 413, 'the request is too large')
    if (incoming.method !== 'POST' && body.length > 0)
      return refuse(response, 400, 'a request of this kind has no body')
    const gone = new AbortController()
    const leave = (): void => gone.abort(new Error('the agent closed the connection'))
    // If the agent closes the connection during an answer, the rest is still read for a moment, because the usage comes
    // last.
    response.on('close', () => {
      if (response.headersSent && !response.writableFinished)
        setTimeout(leave, Math.min(DRAIN_MS, this.#options.timeoutMs)).unref()
      else leave()
    })
    const signal = AbortSignal.any([gone.signal, this.#closing.signal])
    const url = new URL(
      `${upstream.baseUrl}${path.slice(upstream.route.version.length)}${authorized.query === '' ? '' : `?${authorized.query}`}`,
    )
    const { api } = found
    if (api === null)
      return this.#passOn(response, {
        url,
        authorized,
        body,
        signal,
        asked: {
          method: incoming.method ?? 'GET',
          path: askedPath(path, query),
          request: parseJson(body.toString('utf8')) ?? null,
        },
        place: this.#options.recorder?.begin() ?? 0,
      })
    const encoding = incoming.headers['content-encoding']
    const asked = parseJson((await decodedBytes(encoding, body)).toString('utf8'))
    const model = found.model ?? textIn(asked, 'model')
    if (!isRecord(asked) || model === null)
      return refuse(response, 400, 'the request is not JSON that names a model')
    if (asked['background'] === true)
      return refuse(response, 400, 'an answer in the background cannot be counted')
    const changed = api === 'chat' && encoding === undefined ? withIncludeUsage(body) : null
    await this.#call(response, {
      path: { ...found, api },
      upstream,
      model: model.slice(0, MOST_MODEL_NAME),
      url,
      authorized:
        changed === null
          ? authorized
          : // No compression: the event with the usage can be removed only from plain text.
            { ...authorized, headers: { ...authorized.headers, 'accept-encoding': 'identity' } },
      body: changed ?? body,
      filter: changed === null ? null : withoutUsageEvent(),
      noticed: this.evidence.read(api, asked),
      number: ++this.#calls,
      asked: { method: 'POST', path: askedPath(path, query), request: asked },
      place: this.#options.recorder?.begin() ?? 0,
      from: this.#options.now(),
      signal,
      attempts: 0,
    })
  }

  /** Passes on a request that uses no tokens, such as a request for the list of models. */
  async #passOn(
    response: ServerResponse,
    { url, authorized, body, signal, asked, place }: PassedOn,
  ): Promise<void> {
    const { connections, keys, recorder, replayed } = this.#options
    try {
      const reply = await (replayed?.reply(asked) ??
        connections.send({
          url,
          method: asked.method,
          headers: withLength(authorized, body, asked.method),
          body,
          signal: AbortSignal.any([signal, AbortSignal.timeout(this.#options.timeoutMs)]),
        }))
      const whole = await wholeReply(reply)
      recorder?.end(place, asked, { ...NO_USAGE, ...replyOf(whole) })
      sendReply(response, whole, keys)
    } catch {
      this.#endReplay()
      refuse(response, 502, 'the provider did not answer')
    }
  }

  async #call(response: ServerResponse, call: Call): Promise<void> {
    const { requests } = this.#options
    if (!this.#mayAsk()) return refuse(response, 403, 'this trial has reached its limit')
    this.#inFlight++
    this.#rate.add(call.from)
    let last: WholeReply | null = null
    try {
      const passed = await requests.send(call.upstream.pool, call.signal, () =>
        this.#attempt(response, call, (reply) => {
          last = reply
        }),
      )
      this.#answered(call, passed)
    } catch (error) {
      await this.#unanswered(response, call, error, last)
    } finally {
      this.#inFlight--
    }
  }

  /** Whether the limits allow one more request. If not, the agent is stopped. */
  #mayAsk(): boolean {
    if (this.#overLimit !== null || this.#isOutOfBudget) return false
    const { limits } = this.#options
    const asked = this.figures.counts.turns + this.#inFlight + 1
    if (limits === null || limits.turns === null || asked <= limits.turns) return true
    this.#halt(`more than ${limits.turns} turns: ${asked}`)
    return false
  }

  #halt(why: string): void {
    this.#overLimit ??= why
    this.#options.stop()
  }

  /**
   * Sends the request once, and passes the reply on to the agent. Rejects with a `SubjectError` if there is no answer.
   */
  async #attempt(
    response: ServerResponse,
    call: Call,
    failed: (reply: WholeReply) => void,
  ): Promise<Passed> {
    const { connections, timeoutMs } = this.#options
    call.attempts++
    const asked = askedOf(call, this.#options.keys)
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), timeoutMs)
    try {
      const reply = await (this.#options.replayed?.reply(call.asked) ??
        connections.send({
          url: call.url,
          method: 'POST',
          headers: withLength(call.authorized, call.body, 'POST'),
          body: call.body,
          signal: AbortSignal.any([call.signal, late.signal]),
        }))
      timer.refresh()
      const status = reply.statusCode ?? 0
      if (status >= 200 && status < 300)
        return await passReply(response, reply, {
          ...call,
          api: call.path.api,
          timer,
          timeoutMs,
          isRecorded: this.#options.recorder !== null,
        })
      const whole = await wholeReply(reply)
      failed(whole)
      const json = parseJson(whole.text)
      const spend = { status, usage: null, usd: null }
      const error = failedReply(asked, { ...whole, isUtf8: true }, json, Date.now(), spend)
      throw error ?? new Error('a reply with an error status was read as an answer')
    } catch (error) {
      if (error instanceof SubjectError) throw error
      call.signal.throwIfAborted()
      throw late.signal.aborted ? timedOut(asked, timeoutMs) : failedConnection(asked, error)
    } finally {
      clearTimeout(timer)
    }
  }

  #answered(call: Call, passed: Passed): void {
    const { status, usage, isEstimated, broken, replied, recorded } = passed
    const { requests, limits, now, recorder } = this.#options
    this.evidence.answered(Math.round(now()), call.noticed, replied)
    const usd = this.#priceOf(call, usage)
    if (recorded !== null)
      recorder?.end(call.place, call.asked, {
        status,
        ...recorded,
        ...(broken === null || replied.isComplete ? {} : { isBroken: true as const }),
        ...{ model: call.model, usage, usd },
      })
    this.#decide(
      call,
      broken === null ? null : lostBy(call.upstream, 'provider-error', `cut off: ${broken}`),
    )
    this.#record(call, {
      status,
      usage,
      usd,
      ...(broken === null ? {} : { error: broken }),
      ...(isEstimated ? { estimated: true as const } : {}),
    })
    if (usd !== null) requests.paid(usd)
    const exceeded = limits === null ? null : overLimit(limits, this.counts)
    if (exceeded !== null) this.#halt(exceeded)
  }

  /**
   * Determines whether the agent has lost its provider. The request that was sent last decides, not the one that ended
   * last.
   */
  #decide({ number }: Call, lost: LostEnd | null): void {
    if (number < this.#decidedBy) return
    this.#decidedBy = number
    this.#lost = lost
  }

  async #unanswered(
    response: ServerResponse,
    call: Call,
    error: unknown,
    last: WholeReply | null,
  ): Promise<void> {
    if (error instanceof BudgetUsedUp) {
      this.#isOutOfBudget = true
      this.#options.stop()
      return refuse(response, 403, 'the budget of the run is used up')
    }
    const message = error instanceof Error ? error.message : String(error)
    const status = error instanceof SubjectError ? error.status : null
    const { keys, connections, recorder, replayed } = this.#options
    recorder?.end(call.place, call.asked, {
      ...NO_USAGE,
      ...(last === null ? NO_REPLY : replyOf(last)),
      model: call.model,
    })
    this.#endReplay()
    if (last === null) refuse(response, 502, 'the provider did not answer')
    else sendReply(response, last, keys)
    // If the agent itself gave up the request, this says nothing about the provider. If it was sent, it must be paid
    // for.
    if (!(error instanceof SubjectError)) return this.#dropped(call, message)
    this.#record(call, { status, usage: null, usd: null, error: message })
    if (isAgentsFault(error)) return
    if (status === 429 && this.#rate.isTooFast(call.from)) return
    const isOfKey = status === 401 || status === 403
    const { upstream, authorized } = call
    const { signal } = this.#closing
    // In a replay, the failure was recorded too, and it did not make the recorded trial errored.
    if (replayed !== null) return
    if (isOfKey && !(await isKeyRefused(connections, upstream, authorized.key, signal))) return
    this.#decide(call, lostBy(call.upstream, reasonOf(error), message))
  }

  #dropped(call: Call, error: string): void {
    const isSent = call.attempts > 0
    const usage = isSent ? estimatedUsage(call.body.length, { begun: null, bytes: 0 }) : null
    const { requests } = this.#options
    const usd = usage === null ? null : this.#priceOf(call, usage)
    this.#record(call, {
      status: null,
      usage,
      usd,
      error,
      ...(isSent ? { estimated: true as const } : {}),
    })
    if (usd !== null) requests.paid(usd)
  }

  /** Returns the cost of a request. A replayed request costs as much as when it was recorded. */
  #priceOf({ upstream, model }: Call, usage: Usage): number | null {
    const { priceFor, replayed } = this.#options
    return replayed?.usd(model, usage) ?? priceFor(upstream.route.provider)(model, usage)
  }

  /** Stops the agent if one of its requests differs from the recorded requests. */
  #endReplay(): void {
    const { replayed, stop } = this.#options
    if (replayed !== null && replayed.differs !== null) stop()
  }

  #record(
    { model, from, attempts }: Call,
    facts: Omit<ModelRequest, 'at' | 'model' | 'ms' | 'attempts'>,
  ): void {
    this.figures.add({
      at: Math.round(from),
      model,
      ms: Math.round((this.#options.now() - from) * 10) / 10,
      ...(attempts > 1 ? { attempts } : {}),
      ...facts,
    })
  }
}

type PassedOn = Pick<Call, 'url' | 'authorized' | 'body' | 'signal' | 'asked' | 'place'>

const NO_USAGE = { model: '', usage: null, usd: null } as const
const NO_REPLY = { status: null, type: '', reply: '' } as const

const replyOf = ({ status, headers, text }: WholeReply) => ({
  status,
  type: headers['content-type'] ?? '',
  reply: text,
})

const MOST_MODEL_NAME = 200

/** The most bytes of requests that one trial may hold in memory. */
const MOST_HELD = 256 * 1024 * 1024
/** How long an answer is still read after the agent has closed the connection. */
const DRAIN_MS = 5000

const textIn = (value: unknown, key: string): string | null => {
  const text = child(value, key)
  return typeof text === 'string' && text !== '' ? text : null
}

const askedOf = ({ model, upstream }: Call, keys: readonly TrialKey[]): Asked => ({
  model: `${upstream.route.provider}/${model}`,
  baseUrl: upstream.baseUrl,
  keyFrom: Object.keys(upstream.route.keys)[0] ?? null,
  local: false,
  mayBeChatOnly: false,
  secrets: keys.map(({ key }) => key),
})

const withLength = (
  { headers }: Authorized,
  body: Buffer,
  method: string | undefined,
): Authorized['headers'] =>
  method === 'POST' ? { ...headers, 'content-length': String(body.length) } : headers
