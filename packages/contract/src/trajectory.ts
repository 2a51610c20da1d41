/** The types of a trajectory: the steps of an agent, as a trial stores them. */
import type { ModelRequest } from './gateway.ts'
import type { Json } from './json.ts'
import type { Usage } from './usage.ts'

/**
 * The steps of an agent in one format for all agents, although each agent has its own event stream. Stored with the
 * trial as JSON. An incompatible change of the format needs a new version.
 */
export interface Trajectory {
  readonly version: 1
  /**
   * Which agent's event stream the steps were read from: claude, codex, gemini or assay. `text` if there were no
   * events.
   */
  readonly format: string
  /** The version that the agent reports about itself; null if it reports none. */
  readonly agentVersion: string | null
  readonly model: string | null
  /** The steps, in the order in which they began. */
  readonly steps: readonly Step[]
  /** The token counts of each model; empty if the agent does not report them. */
  readonly usage: Readonly<Record<string, Usage>>
  readonly usd: number | null
  /** Where the cost comes from: the agent `reported` it, or Assay computed it from the tokens (`priced`). */
  readonly usdFrom: 'reported' | 'priced' | null
  /** How many requests to the model were answered. */
  readonly turns: number
  /** The time from the start to the first event that contains a part of the answer. */
  readonly firstTokenMs: number | null
  readonly ms: number
  /** Whether the event stream contains its own last event; false if it was cut off. */
  readonly complete: boolean
  /**
   * Set if steps are missing, because there were too many or they were too long. A grader must not conclude that a
   * missing step did not happen.
   */
  readonly lossy?: true
  /** Notes for people about parts of the stream that could not be read. The raw stream still contains these parts. */
  readonly oddities: readonly string[]
  /**
   * The agent's requests to its model, as the gateway (Assay's proxy between the two) recorded them. Absent if the
   * requests did not go through the gateway.
   */
  readonly requests?: readonly ModelRequest[]
}

interface StepHead {
  /** When the step began, in milliseconds since the trial's start. */
  readonly at: number
  /** The index of the user's message that the agent was answering, from 0. */
  readonly turn: number
}

/**
 * Tokens and cost of one request to the model. A request can produce several steps. Only the first of them has these
 * fields.
 */
interface Spent {
  readonly usage?: Usage
  readonly usd?: number
}

/**
 * `seen`: the step also appears in the agent's requests to its model. `claimed`: only the agent reports it, so
 * graders do not count it as evidence. Absent if the requests did not go through the gateway. Then every step is only
 * reported by the agent.
 */
export type StepEvidence = 'seen' | 'claimed'

export type Step =
  | (StepHead &
      Spent & {
        readonly kind: 'message'
        readonly role: 'user' | 'assistant' | 'system'
        readonly text: string
      })
  | (StepHead & Spent & { readonly kind: 'reasoning'; readonly text: string })
  | (StepHead &
      Spent & {
        readonly kind: 'tool-call'
        readonly id: string
        readonly name: string
        readonly args: Json
        /** What the tool returned; null if the call has no result. */
        readonly result: string | null
        readonly failed: boolean
        /** The time from the call to its result; null if there was no result. */
        readonly ms: number | null
        readonly evidence?: StepEvidence
      })
  | (StepHead & {
      readonly kind: 'file-change'
      readonly path: string
      readonly change: 'added' | 'changed' | 'deleted'
    })
  | (StepHead & { readonly kind: 'skill'; readonly name: string; readonly evidence?: StepEvidence })
  | (StepHead & { readonly kind: 'error'; readonly text: string })
  /** An event of the stream that Assay does not understand, stored unchanged. */
  | (StepHead & { readonly kind: 'other'; readonly type: string; readonly raw: string })
