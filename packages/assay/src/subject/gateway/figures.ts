/** Sums up the usage and cost that the gateway has counted for one trial, by model. */
import type { GatewayFigures, ModelRequest, Usage } from '@assay/contract'
import type { Counts } from '../agent/trajectory/trajectory-builder.ts'
import { NO_USAGE, plus, tokensOf } from '../agent/trajectory/spent.ts'

/** The most requests that are stored one by one. Further requests are only counted. */
const MOST_KEPT = 5000

interface Sums {
  requests: number
  refused: number
  usage: Usage | null
  usd: number | null
  ms: number
  isEstimated: boolean
}

const NONE: Sums = {
  requests: 0,
  refused: 0,
  usage: NO_USAGE,
  usd: 0,
  ms: 0,
  isEstimated: false,
}

export class Figures {
  readonly #byModel = new Map<string, Sums>()
  readonly #requests: ModelRequest[] = []
  #answered = 0
  #tokens = 0
  #knownUsd = 0

  add(request: ModelRequest): void {
    const before = this.#byModel.get(request.model) ?? NONE
    const { usage, usd, ms } = request
    const isAnswered = request.error === undefined || usage !== null
    this.#byModel.set(request.model, {
      requests: before.requests + 1,
      refused: before.refused + (isAnswered ? 0 : 1),
      usage: isAnswered ? (usage === null ? null : sum(before.usage, usage)) : before.usage,
      usd: isAnswered
        ? usd === null || before.usd === null
          ? null
          : before.usd + usd
        : before.usd,
      ms: before.ms + ms,
      isEstimated: before.isEstimated || request.estimated === true,
    })
    if (this.#requests.length < MOST_KEPT) this.#requests.push(request)
    if (!isAnswered) return
    // A request that the agent broke off before its answer began must be paid for, but does not count as a turn.
    if (request.status !== null) this.#answered++
    this.#tokens += tokensOf(usage)
    this.#knownUsd += usd ?? 0
  }

  /** The requests in the order in which they ended. */
  get requests(): readonly ModelRequest[] {
    return this.#requests
  }

  /** The counts to which the limits of a case apply. */
  get counts(): Omit<Counts, 'toolCalls'> {
    return { turns: this.#answered, tokens: this.#tokens, usd: this.#knownUsd }
  }

  get usage(): Usage | null {
    return [...this.#byModel.values()].reduce<Usage | null>(
      (all, { usage }) => (all === null || usage === null ? null : plus(all, usage)),
      NO_USAGE,
    )
  }

  /** The cost of all requests. Null if a price is unknown. */
  get usd(): number | null {
    return [...this.#byModel.values()].reduce<number | null>(
      (all, { usd }) => (all === null || usd === null ? null : all + usd),
      0,
    )
  }

  get atLeastUsd(): number {
    return this.#knownUsd
  }

  list(): readonly GatewayFigures[] {
    return [...this.#byModel]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([model, { requests, refused, usage, usd, ms, isEstimated }]) => ({
        model,
        requests,
        refused,
        usage,
        usd,
        ms: Math.round(ms * 10) / 10,
        ...(isEstimated ? { estimated: true as const } : {}),
      }))
  }
}

const sum = (a: Usage | null, b: Usage): Usage | null => (a === null ? null : plus(a, b))
