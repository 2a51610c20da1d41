/** Keeps the requests of one trial with the replies to them, so that the agent can be run again without its provider. */
import type { Exchange, Traffic } from '../../../log/index.ts'

/** What an agent asked. */
export interface Asked {
  readonly method: string
  /** The path and the query, without a key. */
  readonly path: string
  /** The body as JSON; null if there is none. */
  readonly request: unknown
}

/** What came of it. */
export type Replied = Omit<Exchange, keyof Asked>

/** The limit on characters of all replies and requests together. */
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

  /** Returns the place of a request that is made now. */
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

/** Returns a path with its query, without the key in it. */
export function askedPath(path: string, query: string): string {
  const parameters = new URLSearchParams(query)
  parameters.delete('key')
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`
}
