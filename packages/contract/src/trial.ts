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
  /** Absent for the attempt that gave the answer. */
  readonly error?: string
  readonly usd: number | null
  /** The duration of the request, and the wait before the next one. */
  readonly ms: number
  readonly waitMs: number
}

/** The identity of a trial everywhere: suite, case, subject and index. */
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
  /** A `Trajectory` as JSON. */
  readonly trajectory?: Text
  /** The agent's event stream, unchanged. */
  readonly stream?: Text
  /** A `WorkspaceDiff` as JSON. */
  readonly diff?: Text
  /** A list of `Message` as JSON: what was said before the answer, if that is more than the case's own prompt. */
  readonly messages?: Text
  /** The answer is the JSON of a value that a function returned. */
  readonly isJson?: true
  /** What a function printed while it made the answer. */
  readonly log?: Text
  /** An agent's requests to its model, with the replies, as JSON (`--record`). */
  readonly traffic?: Text
  readonly usage: Usage | null
  readonly cost: {
    /** The original cost of producing the answer, over all attempts. */
    readonly answerUsd: number | null
    readonly judgeUsd: number | null
    /** What this run paid. */
    readonly spentUsd: number
  }
  readonly time: {
    readonly startedAt: string
    /**
     * The trial's end minus its start. Absent if the answer was not made and graded in one go, and in logs of
     * older versions.
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
  /** Parts in which a secret is masked in the log but was not masked when they were graded. */
  readonly masked?: readonly ('answer' | 'files' | 'trajectory' | 'diff' | 'messages')[]
  /** The figures that count, by model, if the agent's requests go through the gateway. From version 2 on. */
  readonly gateway?: readonly GatewayFigures[]
  /** What the agent itself reported, for comparison with the gateway's figures. */
  readonly claimed?: { readonly usage: Usage | null; readonly usd: number | null }
  /** The trial's network access: `none`, `open`, or the hosts that its case allows. */
  readonly network?: string
}
