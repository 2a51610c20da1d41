/** What the gateway between an agent and its model records. */
import type { Usage } from './usage.ts'

/** What the gateway counted for an agent's requests to one model, from the provider's reports. */
export interface GatewayFigures {
  readonly model: string
  readonly requests: number
  /** Requests without an answer: refused by the provider, by a limit or by the budget. */
  readonly refused: number
  readonly usage: Usage | null
  readonly usd: number | null
  readonly ms: number
  /** A stream was cut off, so its usage is a limited estimate. */
  readonly estimated?: true
}

/** One request of an agent to its model, as the gateway saw it. */
export interface ModelRequest {
  /** Milliseconds from the trial's start to the request. */
  readonly at: number
  readonly model: string
  /** The provider's status; null if it did not reply. */
  readonly status: number | null
  /** The provider's own count. Null if there was no answer. */
  readonly usage: Usage | null
  /** Null if there was no answer or the price is unknown. */
  readonly usd: number | null
  readonly ms: number
  /** How often the gateway sent it, if more than once. */
  readonly attempts?: number
  /** Why there was no whole answer. */
  readonly error?: string
  /** The answer was cut off, so the usage is an upper estimate. */
  readonly estimated?: true
}
