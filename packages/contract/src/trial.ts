/**
 * What a run records about a trial. `Trial` is the format of the trial log. An incompatible change needs a new
 * version number in the log's first line and a reader for the old version. Optional fields may be added within a
 * version: a reader ignores fields that it does not know, and the checksum of a line covers them.
 */
import type { Source } from './answer.ts'
import type { GatewayFigures } from './gateway.ts'
import type { Grade, Text } from './grade.ts'
import type { Reason } from './reasons.ts'
import type { Usage } from './usage.ts'

export type Outcome = 'passed' | 'failed' | 'unscored' | 'errored'

/** One request to a provider. Stored if a trial needed more than one. */
export interface Attempt {
  readonly status: number | null
  /** Why this attempt failed. Absent for the attempt that gave the answer. */
  readonly error?: string
  readonly usd: number | null
  /** The duration of the request. `waitMs` is the wait before the next one. */
  readonly ms: number
  readonly waitMs: number
}

/** Identifies a trial: its suite, case and subject, and its index among the trials of that case. */
export interface Identity {
  readonly suite: string
  readonly case: string
  readonly subject: string
  readonly index: number
}

export interface Trial extends Identity {
  readonly caseHash: string
  readonly outcome: Outcome
  readonly reason?: Reason
  readonly score: number | null
  readonly implRate: number | null
  readonly grades: readonly Grade[]
  readonly answer: Text | null
  readonly files?: Readonly<Record<string, Text>>
  /** The agent's steps: a `Trajectory` as JSON. */
  readonly trajectory?: Text
  /** The agent's event stream, unchanged. */
  readonly stream?: Text
  /** What the agent changed: a `WorkspaceDiff` as JSON. */
  readonly diff?: Text
  /** A list of `Message` as JSON: what was said before the answer, if that is more than the case's own prompt. */
  readonly messages?: Text
  /** Set if the answer is the JSON of a value that a function returned. */
  readonly isJson?: true
  /** What a function printed while it made the answer. */
  readonly log?: Text
  /** An agent's requests to its model, with the replies, as JSON (`--record`). */
  readonly traffic?: Text
  readonly usage: Usage | null
  readonly cost: {
    /** What producing the answer cost originally, over all attempts. A cached or replayed answer keeps this cost. */
    readonly answerUsd: number | null
    readonly judgeUsd: number | null
    /** What this run paid. It is 0 for a cached or replayed answer. */
    readonly spentUsd: number
  }
  readonly time: {
    readonly startedAt: string
    /**
     * The time from the trial's start to its end. Absent if the answer was not made and graded in one go, and in logs
     * of older versions.
     */
    readonly durationMs?: number
    readonly answerMs: number
    readonly waitMs: number
    readonly gradeMs: number
  }
  readonly attempts?: readonly Attempt[]
  readonly source: Source
  readonly sandbox?: string
  /**
   * Notes in addition to the outcome: for example amounts that do not count, or an answer that was requested
   * again.
   */
  readonly remarks?: readonly string[]
  /**
   * The parts whose text in the log differs from the text that was graded, because a secret was masked only in the
   * log.
   */
  readonly masked?: readonly ('answer' | 'files' | 'trajectory' | 'diff' | 'messages')[]
  /**
   * Tokens and cost by model, as the gateway counted them. These figures count instead of the agent's own. Set if the
   * agent's requests go through the gateway, from version 2 of the log on.
   */
  readonly gateway?: readonly GatewayFigures[]
  /** What the agent itself reported, for comparison with the gateway's figures. */
  readonly claimed?: { readonly usage: Usage | null; readonly usd: number | null }
  /** The trial's network access: `none`, `open`, or the hosts that its case allows. */
  readonly network?: string
}
