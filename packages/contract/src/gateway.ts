/** What the gateway records. The gateway is Assay's proxy between an agent and its model. */
import type { Usage } from './usage.ts'

/** What the gateway counted for an agent's requests to one model, from the provider's reports. */
export interface GatewayFigures {
  readonly model: string
  readonly requests: number
  /** The number of requests without an answer: the provider, a limit or the budget refused them. */
  readonly refused: number
  readonly usage: Usage | null
  readonly usd: number | null
  readonly ms: number
  /** Set if a reply was cut off. Its usage is then an estimate, which is high rather than low. */
  readonly estimated?: true
}

/** One request of an agent to its model, as the gateway saw it. */
export interface ModelRequest {
  /** When the request was made, in milliseconds since the trial's start. */
  readonly at: number
  readonly model: string
  /** The HTTP status of the provider's reply; null if there was none. */
  readonly status: number | null
  /** The provider's own token counts. Null if there was no answer. */
  readonly usage: Usage | null
  /** The cost; null if there was no answer or the price is unknown. */
  readonly usd: number | null
  readonly ms: number
  /** How many times the gateway sent the request, if more than once. */
  readonly attempts?: number
  /** Why the answer is missing or incomplete. */
  readonly error?: string
  /** Set if the answer was cut off. The usage is then an estimate, which is high rather than low. */
  readonly estimated?: true
}
