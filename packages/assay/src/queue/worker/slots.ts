/**
 * The slots at a provider that one trial uses. The state of all providers is in Redis, so that limits apply to all
 * workers together. A slot is a lease, which must be renewed. So if a worker is lost, its slots become free after a
 * while.
 */
import { setDuration } from '../../text/index.ts'
import { SubjectError, type ReasonCode } from '@assay/contract'
import { isOutOfSockets, LOST_REASONS, type ProviderSlots } from '../../run/index.ts'
import { shaped, type Head, type QueueEvent } from '../messages.ts'
import { callScript } from '../redis/call-script.ts'
import { poolKeys, runKeys, runPoolKeys } from '../redis/keys.ts'
import type { Redis } from '../redis/load-bullmq.ts'
import { DROP_GIVEN_UP, ENTER, FAILED, LEAVE, RENEW, SEND, SUCCEEDED } from '../redis/scripts.ts'
import type { Signer } from '../sign.ts'

/** How long a slot stays taken if it is not renewed. */
export const LEASE_MS = 20_000

/** All slots that this worker holds, grouped by provider. They are renewed together. */
export class Leases {
  readonly #client: Redis
  readonly #held = new Map<
    string,
    { readonly keys: readonly [string, string]; readonly ids: Set<string> }
  >()
  #next = 0
  readonly #worker: string

  constructor(client: Redis, worker: string) {
    this.#client = client
    this.#worker = worker
  }

  newId(): string {
    return `${this.#worker}.${++this.#next}`
  }

  add(keys: readonly [string, string], id: string): void {
    const name = keys.join(' ')
    const pool = this.#held.get(name) ?? { keys, ids: new Set<string>() }
    pool.ids.add(id)
    this.#held.set(name, pool)
  }

  remove(keys: readonly [string, string], id: string): void {
    const name = keys.join(' ')
    const pool = this.#held.get(name)
    pool?.ids.delete(id)
    if (pool?.ids.size === 0) this.#held.delete(name)
  }

  async renew(): Promise<void> {
    for (const { keys, ids } of [...this.#held.values()])
      if (ids.size > 0) await callScript(this.#client, RENEW, keys, [LEASE_MS, '', ...ids])
  }
}

export interface SlotsOptions {
  readonly client: Redis
  readonly signer: Signer
  readonly leases: Leases
  readonly head: Head
  readonly pool: string
  readonly limits: Head['pools'][string]
  readonly signal: AbortSignal
  /** Returns the trial for which the first request is counted. Returns null for the requests of judges. */
  readonly trial: () => string | null
  readonly report: (event: QueueEvent) => void
  /** Says whether Assay gave up on this provider in this run. All trials of the run on this worker share it. */
  readonly gaveUp: GivenUp
}

/** Remembers why Assay gave up on a provider in one run. All trials of the run on this worker share it. */
export class GivenUp {
  readonly #over = new AbortController()
  error: SubjectError | null = null

  get over(): AbortSignal {
    return this.#over.signal
  }

  set({ code, text }: { readonly code: string; readonly text: string }): void {
    if (this.error !== null) return
    this.error = new SubjectError(text, { reason: code as ReasonCode, retry: false })
    this.#over.abort(this.error)
  }
}

export class QueueSlots implements ProviderSlots {
  readonly #options: SlotsOptions
  readonly #id: string
  readonly #shared: ReturnType<typeof poolKeys>
  readonly #own: ReturnType<typeof runPoolKeys>
  /**
   * The leases that this trial holds now. There may be several, because judges of one trial can be asked at the same
   * time.
   */
  readonly #held: string[] = []
  #isCounted = false
  #hasSent = false

  constructor(options: SlotsOptions) {
    this.#options = options
    this.#id = options.leases.newId()
    this.#shared = poolKeys(options.pool)
    this.#own = runPoolKeys(options.head.run, options.pool)
  }

  get #limits(): { start: number; most: number; probes: boolean } {
    return this.#options.limits
  }

  get #leaseKeys(): readonly [string, string] {
    return [this.#shared.leases, this.#own.leases]
  }

  get givenUp(): SubjectError | null {
    return this.#options.gaveUp.error
  }

  get over(): AbortSignal {
    return this.#options.gaveUp.over
  }

  /** Takes a slot if one is free, and returns 0. Otherwise returns the milliseconds after which to try again. */
  async tryEnter(): Promise<number> {
    const { client, head, leases } = this.#options
    const { start, most, probes } = this.#limits
    const lease = leases.newId()
    const [state, value] = await callScript<[number, number | string]>(
      client,
      ENTER,
      [
        this.#shared.state,
        this.#shared.leases,
        this.#shared.demand,
        this.#own.state,
        this.#own.leases,
      ],
      [lease, head.run, LEASE_MS, start, most, probes ? 1 : 0, this.#id],
    )
    if (state === -1) return this.#takeGivenUp(String(value))
    if (state === 0) return Math.max(1, Number(value))
    if (state === 1) {
      this.#held.push(lease)
      leases.add(this.#leaseKeys, lease)
    }
    return 0
  }

  async enter(): Promise<void> {
    const { signal } = this.#options
    while (!signal.aborted && this.givenUp === null) {
      const wait = await this.tryEnter()
      if (wait === 0) return
      await sleep(Math.min(wait, 1000) + Math.random() * 20, AbortSignal.any([signal, this.over]))
    }
  }

  leave(): void {
    const lease = this.#held.pop()
    if (lease === undefined) return
    const { client, leases } = this.#options
    leases.remove(this.#leaseKeys, lease)
    const keys = [...this.#leaseKeys, this.#own.state]
    const owner = this.#hasSent ? '' : this.#id
    void callScript(client, LEAVE, keys, [lease, owner]).catch(() => {})
  }

  rest(): void {
    this.leave()
  }

  resume(): void {}

  async holdMs(): Promise<number> {
    const { client, head, trial } = this.#options
    const name = this.#isCounted ? '' : (trial() ?? '')
    const [wait, given] = await callScript<[number, string]>(
      client,
      SEND,
      [this.#shared.state, this.#shared.sends, this.#own.state, runKeys(head.run).asked],
      [head.rate, `${this.#id}.${performance.now()}`, this.#id, 1.5 * LEASE_MS, name],
    )
    if (given !== '') return this.#takeGivenUp(given)
    if (wait === 0) {
      this.#isCounted = true
      this.#hasSent = true
    }
    return wait
  }

  succeeded(): void {
    const { start, most } = this.#limits
    void callScript(
      this.#options.client,
      SUCCEEDED,
      [this.#shared.state, this.#own.state],
      [start, most],
    ).catch(() => {})
  }

  failed(failure: SubjectError, sentAt: number, now: number, waitMs: number | null): void {
    void this.#tellFailure(failure, now - sentAt, waitMs).catch(() => {})
  }

  async #tellFailure(error: SubjectError, agoMs: number, waitMs: number | null): Promise<void> {
    const { client, head, pool, report } = this.#options
    const { reason, retryAfterMs } = error
    const isRefused = reason === 'rate-limited' || retryAfterMs !== null
    const [what, until] = await callScript<[string, string | number]>(
      client,
      FAILED,
      [this.#shared.state, this.#own.state, this.#shared.leases],
      [
        this.#limits.start,
        reason === 'rate-limited' || isOutOfSockets(error) ? 1 : 0,
        retryAfterMs === null ? -1 : Math.ceil(retryAfterMs),
        waitMs === null ? -1 : Math.ceil(waitMs),
        isRefused ? 1 : 0,
        head.maxWaitMs,
        Math.max(0, Math.round(agoMs)),
        LOST_REASONS.has(reason) ? 1 : 0,
        reason === 'provider-timeout' ? 1 : 0,
      ],
    )
    const at = Number(until) > 0 ? new Date(Number(until)).toISOString() : ''
    if (what === 'wait') report({ type: 'wait', pool, why: error.message, until: at })
    if (what === 'unanswered')
      await this.#giveUp(error, `${pool} has not answered once: ${error.message}`)
    if (what === 'long')
      await this.#giveUp(
        error,
        `${pool} asks to be left alone until ${at}, longer than the ${setDuration(head.maxWaitMs)} of --max-wait: ${error.message}`,
      )
  }

  async #giveUp({ reason }: SubjectError, message: string): Promise<void> {
    const { client, signer, head, pool, report, gaveUp } = this.#options
    const why = { pool, code: reason, text: message }
    const signed = signer.sign('given-up', head.run, why)
    if ((await client.hsetnx(this.#own.state, 'givenUp', signed)) === 1)
      report({ type: 'give-up', ...why })
    gaveUp.set(why)
  }

  /**
   * Reads from Redis why Assay gave up on the provider, and returns 0. A value without a valid signature is removed,
   * and the result is the milliseconds after which to try again.
   */
  async #takeGivenUp(signed: string): Promise<number> {
    const { client, signer, head, pool, gaveUp } = this.#options
    const why = shaped('given-up', signer.open('given-up', head.run, signed))
    if (why !== null && why.pool === pool) {
      gaveUp.set(why)
      return 0
    }
    await callScript(client, DROP_GIVEN_UP, [this.#own.state], [signed])
    return 1
  }
}

/** Sleeps. If the signal aborts, it returns early and does not throw. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
