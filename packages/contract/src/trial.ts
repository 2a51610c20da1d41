/**
 * What a run records of a trial. `Trial` is the log's format: it changes only with a new version number in
 * the log's first line and a reader for the old version. Optional fields may be added within a version: a reader
 * leaves alone what it does not know, and the checksum of a line covers it.
 */
import type { Source } from './answer.ts'
import type { Grade, Text } from './grade.ts'
import type { Reason } from './reasons.ts'
import type { Usage } from './usage.ts'

export type Outcome = 'passed' | 'failed' | 'unscored' | 'errored'

/** One request to a provider, kept when a trial needed more than one. */
export interface Attempt {
  readonly status: number | null
  /** Absent for the attempt that brought the answer. */
  readonly error?: string
  readonly usd: number | null
  /** How long the request took, and how long it was waited before the next one. */
  readonly ms: number
  readonly waitMs: number
}

/** What the gateway counted of an agent's requests to one model, as the provider reported it. */
export interface GatewayFigures {
  readonly model: string
  readonly requests: number
  /** Those that got no answer: refused by the provider, by a limit or by the budget. */
  readonly refused: number
  readonly usage: Usage | null
  readonly usd: number | null
  readonly ms: number
  /** A stream was broken off, and what it used is a bounded estimate. */
  readonly estimated?: true
}

/** (suite, case, subject, index) is a trial's identity everywhere. */
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
  /** The agent's event stream as it came. */
  readonly stream?: Text
  /** A `WorkspaceDiff` as JSON. */
  readonly diff?: Text
  readonly usage: Usage | null
  readonly cost: {
    /** What producing the answer cost when it was made, over all attempts. */
    readonly answerUsd: number | null
    readonly judgeUsd: number | null
    /** What this run paid. */
    readonly spentUsd: number
  }
  readonly time: {
    readonly startedAt: string
    readonly answerMs: number
    readonly waitMs: number
    readonly gradeMs: number
  }
  readonly attempts?: readonly Attempt[]
  readonly source: Source
  readonly sandbox?: string
  /** What a reader must know beside the outcome: amounts that do not count, an answer that was asked again. */
  readonly remarks?: readonly string[]
  /** Parts in which a secret is masked here and was not when they were graded. */
  readonly masked?: readonly ('answer' | 'files' | 'trajectory' | 'diff')[]
  /** From version 2 on, where an agent's requests go through the gateway: the figures that count, by model. */
  readonly gateway?: readonly GatewayFigures[]
  /** What the agent said of itself, next to what the gateway counted. */
  readonly claimed?: { readonly usage: Usage | null; readonly usd: number | null }
  /** The network that the trial was given: `none`, `open`, or the hosts that its case allows. */
  readonly network?: string
}
