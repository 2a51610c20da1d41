/** The types of subjects, of the requests that subjects get, and of their answers. */
import type { Case, Message } from './case.ts'
import type { GatewayFigures } from './gateway.ts'
import type { Json } from './json.ts'
import type { ReasonCode } from './reasons.ts'
import type { Trajectory } from './trajectory.ts'
import type { Usage } from './usage.ts'
import type { AgentLimits, TrialWorkspace, WorkspaceDiff } from './workspace.ts'

/** A request to a subject for the answer of one trial. */
export interface Ask {
  readonly suite: string
  readonly case: Case
  readonly index: number
  readonly messages: readonly Message[]
  readonly maxTokens: number | null
  readonly timeoutMs: number
  /** Returns uniform random numbers for this trial alone. They do not depend on which other trials run. */
  readonly random: () => number
  readonly signal: AbortSignal
  /**
   * Opens a fresh folder to work in. Present if the case has a workspace or the subject is an agent. The
   * caller closes the folder.
   */
  readonly openWorkspace?: () => Promise<TrialWorkspace>
  /** Sends an agent's requests to its model, so that they count toward the limits and the budget of the run. */
  readonly modelRequests?: ModelRequests
  /** Whether to keep an agent's requests to its model, with the replies. */
  readonly recordTraffic?: boolean
}

/** Sends the requests that an agent makes to its model, within the limits that apply to all requests of a run. */
export interface ModelRequests {
  /**
   * Calls `attempt` when the provider has a free slot, and again if it fails with an error that may be temporary.
   * `attempt` rejects with a `SubjectError` if there was no answer. `send` rejects with the last error, or with
   * `BudgetUsedUp` before anything is sent.
   */
  send<T>(pool: string, signal: AbortSignal, attempt: () => Promise<T>): Promise<T>
  /** Reports the known cost of a request as soon as it is known. */
  paid(usd: number): void
}

/** Thrown if the run's budget allows no further request. The trial then has no result until the run is resumed. */
export class BudgetUsedUp extends Error {
  override readonly name = 'BudgetUsedUp'
  /** The amount that the trial had spent when the budget was used up. */
  readonly spentUsd: number

  constructor(message: string, spentUsd = 0) {
    super(message)
    this.spentUsd = spentUsd
  }
}

/** Where an answer comes from. */
export type Source = 'live' | 'cache' | 'replay' | 'simulated'

/** Why a subject stopped. Every value except `end` fails the trial, with the reason that belongs to the value. */
export const STOPS = [
  'end',
  'length',
  'filter',
  'refusal',
  'exit',
  'threw',
  'timeout',
  'limit',
] as const

export type Stop = (typeof STOPS)[number]

export interface Answer {
  readonly text: string
  readonly files?: Readonly<Record<string, string>>
  readonly stop: Stop
  /**
   * A note for people: for example the exit code with the last part of stderr, or the category that a content
   * filter reported.
   */
  readonly note?: string
  /** The token counts; null if the subject did not report them. */
  readonly usage: Usage | null
  /** The cost of producing the answer; null if the price is unknown. */
  readonly usd: number | null
  /**
   * The amount that this run paid for the answer. It is 0 for a replayed answer. If `usd` is unknown, it is the
   * known part of the cost. Default: `usd`.
   */
  readonly spentUsd?: number
  /** The duration to record instead of the measured time. A replayed or simulated answer has its own duration. */
  readonly ms?: number
  /** What the subject did, step by step. Set if the subject reports its steps. */
  readonly trajectory?: Trajectory
  /** The agent's event stream, unchanged. */
  readonly stream?: string
  /** What the agent changed in its workspace. */
  readonly diff?: WorkspaceDiff
  /**
   * What was said before the answer: the system message, examples, the user's turns and the answers between them. Set
   * if that is more than the case's own prompt.
   */
  readonly messages?: readonly Message[]
  /** True if the text is the JSON of a value that a function returned. */
  readonly isJson?: true
  /** What a function printed while it made the answer. */
  readonly log?: string
  /** An agent's requests to its model, with the replies, as JSON. Present if the run records them. */
  readonly traffic?: string
  /** Notes for readers of the trial, in addition to the answer: for example that some costs do not count. */
  readonly remarks?: readonly string[]
  /** Tokens and cost by model, as the gateway counted them. If set, `usage` and `usd` are the gateway's figures too. */
  readonly gateway?: readonly GatewayFigures[]
  /** The usage and cost that the agent itself reported. Set if its requests went through the gateway. */
  readonly claimed?: { readonly usage: Usage | null; readonly usd: number | null }
  /** The network that an agent could use: `open`, `none`, or the hosts that its case allows. */
  readonly network?: string
}

export interface Subject {
  /** The subject's id. It is unique within a run and is shown in records and tables. */
  readonly id: string
  readonly kind: 'model' | 'command' | 'agent' | 'function' | 'replay' | 'simulated'
  readonly source: Source
  /**
   * The name of the pool of requests that this subject belongs to. Subjects that share a provider's limits share a
   * pool.
   */
  readonly pool: string
  /**
   * The limit on concurrent requests in the pool. It adapts to the provider: this is its start value and its maximum.
   */
  readonly concurrency: { readonly start: number; readonly most: number }
  /** The pools of the providers that an agent's requests go to, if they go through the gateway. */
  readonly requestPools?: readonly {
    readonly pool: string
    readonly concurrency: { readonly start: number; readonly most: number }
  }[]
  /**
   * The limits that cannot stop this subject while it works, because it does not report the necessary counts. For
   * example, a limit on tokens needs the number of tokens so far.
   */
  readonly unheldLimits?: readonly (keyof AgentLimits)[]
  /**
   * All settings that determine the subject's answers. They are recorded and hashed, so they never contain a secret.
   */
  readonly config: Json
  /** Texts that must never be written anywhere, such as the subject's key. */
  readonly secrets: readonly string[]
  /**
   * Set if the subject handles all of the user's turns itself, in one answer. Other subjects are asked turn by turn,
   * except in a workspace, where every subject handles all turns itself.
   */
  readonly takesAllTurns?: true
  /**
   * Returns the case with the prompt that this subject uses, if the subject has its own prompt. The id and the hash
   * stay the same. Absent: the subject is asked each case as it is.
   */
  asks?(one: Case, suite: string): Case
  /**
   * Returns what the subject can record for a case, such as a trajectory. If the method is absent, this is known only
   * when the answer arrives.
   */
  traces?(one: Case, suite: string): Traces
  /**
   * Returns an upper estimate of the cost of one answer; null if unknown. The budget reserves this amount while the
   * request runs.
   */
  estimateUsd(ask: Case): number | null
  /** Asks the subject. Throws a `SubjectError` if there is no answer. */
  answer(ask: Ask): Promise<Answer>
  close(): Promise<void>
}

/** What a subject can record in addition to its answer, for graders that need it. */
export interface Traces {
  /** Whether the subject records what it did, step by step. */
  readonly trajectory: boolean
  /** Whether the subject records what it changed in a workspace. */
  readonly diff: boolean
}

/** Thrown if a subject gives no answer. `retry` says whether asking again may help. */
export class SubjectError extends Error {
  override readonly name = 'SubjectError'
  readonly reason: ReasonCode
  readonly retry: boolean
  readonly status: number | null
  readonly retryAfterMs: number | null
  /** Usage and cost of the failed request, if the provider reported them. */
  readonly usage: Usage | null
  readonly usd: number | null
  /** The part of the cost that is known, if the whole cost is unknown. */
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
