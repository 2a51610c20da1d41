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
  /** Set if a reply was cut off, so that its usage is only an estimate with an upper bound. */
  readonly estimated?: true
}

/** One request of an agent to its model, as the gateway saw it. */
export interface ModelRequest {
  /** Milliseconds from the trial's start to the request. */
  readonly at: number
  readonly model: string
  /** The provider's status; null if it did not reply. */
  readonly status: number | null
  /** The provider's own token counts. Null if there was no answer. */
  readonly usage: Usage | null
  /** Null if there was no answer or the price is unknown. */
  readonly usd: number | null
  readonly ms: number
  /** How often the gateway sent it, if more than once. */
  readonly attempts?: number
  /** Why the answer is missing or incomplete. */
  readonly error?: string
  /** The answer was cut off, so the usage is an upper estimate. */
  readonly estimated?: true
}
