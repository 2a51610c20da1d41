/** Who answers, what they are asked, and what comes back. */
import type { Case, Message } from './case.ts'
import type { Json } from './json.ts'
import type { ReasonCode } from './reasons.ts'
import type { Trajectory } from './trajectory.ts'
import type { Usage } from './usage.ts'
import type { TrialWorkspace, WorkspaceDiff } from './workspace.ts'

/** One request to answer one trial. */
export interface Ask {
  readonly suite: string
  readonly case: Case
  readonly index: number
  readonly messages: readonly Message[]
  readonly maxTokens: number | null
  readonly timeoutMs: number
  /** A stream of uniform numbers that belongs to this trial alone, whatever runs beside it. */
  readonly random: () => number
  readonly signal: AbortSignal
  /**
   * A fresh folder to work in, for subjects that act: there where the case has a workspace or the subject
   * is an agent. Whoever opens one closes it.
   */
  readonly openWorkspace?: () => Promise<TrialWorkspace>
}

/** Where an answer comes from. */
export type Source = 'live' | 'cache' | 'replay' | 'simulated'

/** Why a subject stopped. All but `end` make the trial failed; the reason says which. */
export type Stop = 'end' | 'length' | 'filter' | 'refusal' | 'exit' | 'timeout' | 'limit'

export interface Answer {
  readonly text: string
  readonly files?: Readonly<Record<string, string>>
  readonly stop: Stop
  /** For people: the exit code and the end of stderr, the filter's category. */
  readonly note?: string
  /** Null where the subject did not say. */
  readonly usage: Usage | null
  /** What producing the answer cost; null where the price is unknown. */
  readonly usd: number | null
  /**
   * What this run paid for it: nothing for a replayed answer; at least this much where `usd` is unknown.
   * Defaults to `usd`.
   */
  readonly spentUsd?: number
  /** Overrides the measured time: a replayed or simulated answer brings its own. */
  readonly ms?: number
  /** What an agent did, step by step. */
  readonly trajectory?: Trajectory
  /** The agent's event stream as it came. */
  readonly stream?: string
  /** What it left in its workspace. */
  readonly diff?: WorkspaceDiff
  /** What a reader of the trial must know beside the answer: amounts that do not count. */
  readonly remarks?: readonly string[]
}

export interface Subject {
  /** Unique within a run; what records and tables show. */
  readonly id: string
  readonly kind: 'model' | 'command' | 'agent' | 'replay' | 'simulated'
  readonly source: Source
  /** Subjects that share a provider's limits share a pool. */
  readonly pool: string
  /** Requests at once in the pool: where the adaptive limit starts and where it ends. */
  readonly concurrency: { readonly start: number; readonly most: number }
  /** Everything that determines its answers, for the record and for its hash. Never a secret. */
  readonly config: Json
  /** Strings that must never be written anywhere: the key it was given. */
  readonly secrets: readonly string[]
  /**
   * It goes through all of the user's turns itself, in one answer. Who works in a workspace does so anyway;
   * all others are asked turn by turn.
   */
  readonly takesAllTurns?: true
  /** What it can show of its work on a case of a suite; not known beforehand where this is absent. */
  traces?(one: Case, suite: string): Traces
  /** An upper guess at one answer's cost, reserved by the budget while it is in flight; null if unknown. */
  estimateUsd(ask: Case): number | null
  /** Throws `SubjectError` where there is no answer. */
  answer(ask: Ask): Promise<Answer>
  close(): Promise<void>
}

/** What a subject can show beside its answer, for graders that need it. */
export interface Traces {
  /** What it did, step by step. */
  readonly trajectory: boolean
  /** What it changed in a workspace. */
  readonly diff: boolean
}

/** There is no answer, and whether asking again may help. */
export class SubjectError extends Error {
  override readonly name = 'SubjectError'
  readonly reason: ReasonCode
  readonly retry: boolean
  readonly status: number | null
  readonly retryAfterMs: number | null
  /** Spend and usage of the failed request, where the provider reported them. */
  readonly usage: Usage | null
  readonly usd: number | null
  /** What is known of the spend, where all of it is not. */
  readonly spentUsd: number

  constructor(
    message: string,
    facts: {
      reason: ReasonCode
      retry: boolean
      status?: number | null
      retryAfterMs?: number | null
      usage?: Usage | null
      usd?: number | null
      spentUsd?: number
      cause?: unknown
    },
  ) {
    super(message, { cause: facts.cause })
    this.reason = facts.reason
    this.retry = facts.retry
    this.status = facts.status ?? null
    this.retryAfterMs = facts.retryAfterMs ?? null
    this.usage = facts.usage ?? null
    this.usd = facts.usd ?? null
    this.spentUsd = this.usd ?? facts.spentUsd ?? 0
  }
}
