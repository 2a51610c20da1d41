/** The recorded requests of an agent to its model, and the replies to them, as a run folder keeps them. */
import type { Usage } from '@assay/contract'
import { amount, flag, json, listOf, number, oneOf, orNull, table, text } from './shape.ts'
import { parsed } from './agent-record.ts'

export interface Traffic {
  readonly version: 1
  /** The names of the environment variables that held the agent's keys. */
  readonly variables: readonly string[]
  /** The requests with their replies, in the order in which the requests were made. */
  readonly exchanges: readonly Exchange[]
  /** True if exchanges are missing because there was too much traffic to record. */
  readonly isCut?: true
}

export interface Exchange {
  readonly method: string
  /** The path and the query of the request, without the key. */
  readonly path: string
  /** The body as it was sent to the provider; null if it is not valid JSON. */
  readonly request: unknown
  /** The HTTP status of the reply. Null if there was no reply. */
  readonly status: number | null
  readonly type: string
  /** The reply as text, decoded. */
  readonly reply: string
  /** True if the connection broke before the end of the reply. */
  readonly isBroken?: true
  readonly model: string
  readonly usage: Usage | null
  readonly usd: number | null
}

const usage = orNull(
  table({
    input: amount,
    cacheRead: amount,
    cacheWrite: amount,
    output: amount,
    reasoning: amount,
  }),
)

const traffic = table(
  {
    version: oneOf(1),
    variables: listOf(text),
    exchanges: listOf(
      table(
        {
          method: text,
          path: text,
          request: json,
          status: orNull(number),
          type: text,
          reply: text,
          model: text,
          usage,
          usd: orNull(amount),
        },
        { isBroken: flag },
      ),
    ),
  },
  { isCut: flag },
)

export const parseTraffic = (written: string): Traffic =>
  parsed(written, traffic, 'the agent’s traffic') as Traffic
