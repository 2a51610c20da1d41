/** What an agent did, step by step, as a trial keeps it. */
import type { Json } from './json.ts'
import type { Usage } from './usage.ts'

/**
 * One way of telling what any agent did, whatever its own stream of events looks like. Kept with the trial
 * as JSON; its shape changes only with a new version.
 */
export interface Trajectory {
  readonly version: 1
  /** Which stream it was read from: claude, codex, gemini, assay; `text` where there was none. */
  readonly format: string
  /** The agent's own version, where it tells. */
  readonly agentVersion: string | null
  readonly model: string | null
  /** In the order in which they began. */
  readonly steps: readonly Step[]
  /** By model; empty where the agent does not tell. */
  readonly usage: Readonly<Record<string, Usage>>
  readonly usd: number | null
  /** `reported` by the agent, or `priced` from the tokens. */
  readonly usdFrom: 'reported' | 'priced' | null
  /** Requests to the model that were answered. */
  readonly turns: number
  /** From the start to the first sign of the model. */
  readonly firstTokenMs: number | null
  readonly ms: number
  /** Whether the stream came to its own end; false for a torn one. */
  readonly complete: boolean
  /** Some of what was told is not here, for it was too much or too long: what is missing may be anything. */
  readonly lossy?: true
  /** What could not be read, for people; the raw stream has it. */
  readonly oddities: readonly string[]
}

interface StepHead {
  /** Milliseconds since the trial's start. */
  readonly at: number
  /** Which of the user's turns, from 0. */
  readonly turn: number
}

/** Tokens and cost of the request to the model that this step came from, on its first step. */
interface Spent {
  readonly usage?: Usage
  readonly usd?: number
}

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
        /** Null where none came. */
        readonly result: string | null
        readonly failed: boolean
        /** Until its result; null where none came. */
        readonly ms: number | null
      })
  | (StepHead & {
      readonly kind: 'file-change'
      readonly path: string
      readonly change: 'added' | 'changed' | 'deleted'
    })
  | (StepHead & { readonly kind: 'skill'; readonly name: string })
  | (StepHead & { readonly kind: 'error'; readonly text: string })
  /** An event that is not understood, kept as it came. */
  | (StepHead & { readonly kind: 'other'; readonly type: string; readonly raw: string })
