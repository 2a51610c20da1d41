/** The budget of a run on its workers. All workers reserve money from the same amount in Redis. */
import { isGuessed, type Paid, type Reservation, type TrialBudget } from '../../run/index.ts'
import type { QueueEvent } from '../messages.ts'
import { callScript } from '../redis/call-script.ts'
import { runKeys } from '../redis/keys.ts'
import type { Redis } from '../redis/load-bullmq.ts'
import { RENEW_RESERVATIONS, RESERVE, RELEASE } from '../redis/scripts.ts'
import { LEASE_MS, sleep } from './slots.ts'

const NANO = 1e9
const nanos = (usd: number): number => Math.round(usd * NANO)
const AGAIN_MS = 100

interface Held extends Reservation {
  readonly id: string
}

export class QueueBudget implements TrialBudget {
  readonly isLimited: boolean
  readonly #client: Redis
  readonly #keys: readonly [string, string, string]
  readonly #held = new Set<string>()
  readonly #worker: string
  readonly #report: (event: QueueEvent) => void
  readonly #signal: AbortSignal
  /** The part of each open reservation that is already spent. */
  readonly #charged = new Map<string, number>()
  #isUsedUp = false
  #next = 0

  constructor(options: {
    readonly client: Redis
    readonly run: string
    readonly worker: string
    readonly isLimited: boolean
    readonly report: (event: QueueEvent) => void
    readonly signal: AbortSignal
  }) {
    const { budget, reservations, reserved } = runKeys(options.run)
    this.#client = options.client
    this.#keys = [budget, reservations, reserved]
    this.#worker = options.worker
    this.#report = options.report
    this.#signal = options.signal
    this.isLimited = options.isLimited
  }

  /**
   * Reserves the expected cost of an answer. Returns `later` if there is too little money now, but other reservations
   * may turn out cheaper. Returns null if the budget does not allow the answer.
   */
  async tryReserve(
    subject: string,
    estimateUsd: number | null,
  ): Promise<Reservation | 'later' | null> {
    const id = `${this.#worker}.${++this.#next}`
    const held = (usd: number): Held => ({ id, usd, subject, estimateUsd })
    if (!this.isLimited) return held(0)
    const [isTaken, amount, expected] = await callScript<[number, string, string]>(
      this.#client,
      RESERVE,
      this.#keys,
      [id, subject, estimateUsd === null ? -1 : nanos(estimateUsd), 3 * LEASE_MS],
    )
    if (isTaken === 1) {
      this.#held.add(id)
      return held(Number(amount) / NANO)
    }
    if (Number(amount) > 0) return 'later'
    const spent = Number((await this.#client.hget(this.#keys[0], 'spent')) ?? 0)
    this.#report({
      ...{ type: 'budget', subject, reservedUsd: 0 },
      expectedUsd: Number(expected) / NANO,
      spentUsd: spent / NANO,
    })
    return null
  }

  async reserveSoon(subject: string, estimateUsd: number | null): Promise<Reservation | null> {
    for (;;) {
      const taken = await this.tryReserve(subject, estimateUsd)
      if (taken !== 'later') return taken
      await sleep(AGAIN_MS, this.#signal)
      if (this.#signal.aborted) return null
    }
  }

  /** Whether no money was left when this worker last read the budget. */
  get isUsedUp(): boolean {
    return this.#isUsedUp
  }

  charge(reservation: Reservation, usd: number): void {
    if (!this.isLimited) return
    const { id } = reservation as Held
    this.#charged.set(id, (this.#charged.get(id) ?? 0) + nanos(usd))
    void this.#client
      .hincrby(this.#keys[0], 'spent', nanos(usd))
      .then(() => this.#look())
      .catch(() => {})
  }

  async #look(): Promise<void> {
    const [limit, spent] = await this.#client.hmget(this.#keys[0], 'limit', 'spent')
    this.#isUsedUp = limit != null && Number(spent ?? 0) >= Number(limit)
  }

  settle(reservation: Reservation, paid: Paid): void {
    if (!this.isLimited) return
    const { id, subject, estimateUsd } = reservation as Held
    this.#held.delete(id)
    const charged = this.#charged.get(id) ?? 0
    this.#charged.delete(id)
    const { spentUsd, unknownCosts = 0, isAnswer = false } = paid
    void callScript(this.#client, RELEASE, this.#keys, [
      id,
      subject,
      estimateUsd === null ? -1 : nanos(estimateUsd),
      nanos(spentUsd),
      unknownCosts,
      isAnswer ? 1 : 0,
      isGuessed(paid) ? 1 : 0,
      charged,
    ]).catch(() => {})
  }

  async renew(): Promise<void> {
    if (this.#held.size === 0) return
    const [, reservations] = this.#keys
    await callScript(
      this.#client,
      RENEW_RESERVATIONS,
      [reservations],
      [3 * LEASE_MS, ...this.#held],
    )
  }
}
