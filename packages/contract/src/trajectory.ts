/** Types for the steps of an agent, as a trial stores them. */
import type { ModelRequest } from './gateway.ts'
import type { Json } from './json.ts'
import type { Usage } from './usage.ts'

/**
 * The steps of an agent in a common format, whatever its own event stream looks like. Stored with the trial
 * as JSON. The format changes only with a new version.
 */
export interface Trajectory {
  readonly version: 1
  /** The format of the stream: claude, codex, gemini or assay; `text` if there were no events. */
  readonly format: string
  /** The agent's own version; null if it does not report one. */
  readonly agentVersion: string | null
  readonly model: string | null
  /** In the order in which they began. */
  readonly steps: readonly Step[]
  /** Usage by model; empty if the agent does not report it. */
  readonly usage: Readonly<Record<string, Usage>>
  readonly usd: number | null
  /** Whether the agent `reported` the cost or it was `priced` from the tokens. */
  readonly usdFrom: 'reported' | 'priced' | null
  /** The number of answered requests to the model. */
  readonly turns: number
  /** The time from the start to the first sign of an answer. */
  readonly firstTokenMs: number | null
  readonly ms: number
  /** Whether the stream reached its own end; false if it was cut off. */
  readonly complete: boolean
  /** Steps are missing because there were too many or they were too long. The missing part can contain anything. */
  readonly lossy?: true
  /** Notes for people about parts of the stream that could not be read. The raw stream still contains these parts. */
  readonly oddities: readonly string[]
  /** The agent's requests to its model, as the gateway saw them. Absent if they did not go through the gateway. */
  readonly requests?: readonly ModelRequest[]
}

interface StepHead {
  /** Milliseconds since the trial's start. */
  readonly at: number
  /** The index of the user's turn, from 0. */
  readonly turn: number
}

/** Tokens and cost of the request to the model that produced this step. Set only on the first step of a request. */
interface Spent {
  readonly usage?: Usage
  readonly usd?: number
}

/**
 * Whether the step was `seen` in the agent's requests to its model, or only the agent says so (`claimed`). Claims are no
 * evidence for graders. Absent if the requests did not go through the gateway: then everything is the agent's claim.
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
        /** Null if there was no result. */
        readonly result: string | null
        readonly failed: boolean
        /** The time until the result; null if there was none. */
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
  /** An event that Assay does not understand, stored unchanged. */
  | (StepHead & { readonly kind: 'other'; readonly type: string; readonly raw: string })
