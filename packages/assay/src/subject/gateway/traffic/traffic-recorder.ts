/**
 * Records the requests of one trial and the replies to them, so that the agent can be run again without its provider.
 */
import type { Exchange, Traffic } from '../../../log/index.ts'

/** A request of an agent. */
export interface Asked {
  readonly method: string
  /** The path and the query, without a key. */
  readonly path: string
  /** The body as JSON. Null if there is none. */
  readonly request: unknown
}

/** The reply to a request, with its usage and cost. */
export type Replied = Omit<Exchange, keyof Asked>

/** The most characters that are recorded of all requests and replies together. */
const MOST_KEPT = 128 * 1024 * 1024

export class TrafficRecorder {
  readonly #variables: readonly string[]
  readonly #exchanges = new Map<number, Exchange>()
  #begun = 0
  #kept = 0
  #isCut = false

  constructor(variables: readonly string[]) {
    this.#variables = variables
  }

  /** Reserves a position in the recording for a request that is sent now. */
  begin(): number {
    return this.#begun++
  }

  end(place: number, asked: Asked, replied: Replied): void {
    const exchange: Exchange = { ...asked, ...replied }
    this.#kept += replied.reply.length + JSON.stringify(asked.request ?? null).length
    if (this.#kept > MOST_KEPT) this.#isCut = true
    else this.#exchanges.set(place, exchange)
  }

  get traffic(): Traffic {
    return {
      version: 1,
      variables: this.#variables,
      exchanges: [...this.#exchanges].toSorted(([a], [b]) => a - b).map(([, one]) => one),
      ...(this.#isCut ? { isCut: true as const } : {}),
    }
  }
}

/** Returns the path with its query, but without the key in the query. */
export function askedPath(path: string, query: string): string {
  const parameters = new URLSearchParams(query)
  parameters.delete('key')
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`
}
