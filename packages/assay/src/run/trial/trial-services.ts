/**
 * Everything that a trial needs from outside: a store for its answer and its result, slots at its provider, money, and
 * the settings of the run. The code in run-trial.ts uses nothing else. So a trial works the same on this machine and on
 * a worker.
 */
import type {
  Answer,
  Case,
  Identity,
  Subject,
  SubjectError,
  Suite,
  Text,
  Trial,
} from '@assay/contract'
import type { Sandbox } from '@assay/sandbox'
import type { MaskedAnswer, Redact } from '../../log/index.ts'
import type { WorkspaceStore } from '../../workspace/index.ts'
import type { AnswerCache } from '../resume/answer-cache.ts'
import type { Pending } from '../resume/pending.ts'
import type { RetryPolicy } from '../schedule/backoff.ts'
import type { Paid, Reservation } from '../schedule/budget.ts'
import type { Clock } from '../schedule/clock.ts'
import type { Semaphore } from '../schedule/semaphore.ts'

/** One subject and one case of the plan. */
export interface TrialCell {
  readonly suite: Suite
  readonly case: Case
  readonly subject: Subject
}

/** Stores what a trial produces. */
export interface TrialStore {
  /** Masks the secrets in a text. */
  readonly redact: Redact
  /** Returns the answer with secrets masked, and the names of the parts that masking changed. */
  maskedAnswer(answer: Answer): MaskedAnswer
  /** Masks the secrets in a text and stores it. */
  text(text: string): Text | Promise<Text>
  /** Stores a text whose secrets are already masked. */
  maskedText(text: string): Text | Promise<Text>
  /** Stores an answer that is not graded yet. Resolves when a crash cannot lose it. */
  keepAnswer(pending: Pending): Promise<void>
  /**
   * Stores a finished trial, whose answer is already masked. `wasPending` says whether the answer was stored before
   * grading. Resolves with the stored trial when a crash cannot lose it.
   */
  record(trial: Trial, wasPending: boolean): Promise<Trial>
}

/** The slots for requests to one provider. */
export interface ProviderSlots {
  /** The error for which Assay gave up on the provider. Null if it has not given up. */
  readonly givenUp: SubjectError | null
  /** Aborts when Assay gives up on the provider. */
  readonly over: AbortSignal
  /**
   * Returns the milliseconds until a request may be sent. If the result is 0, the caller must send a request now, and
   * the rate limit counts it.
   */
  holdMs(now: number): number | Promise<number>
  /** Waits for a slot. Returns at once if Assay has given up on the provider. */
  enter(): Promise<void>
  leave(): void
  /** Frees the slot while the trial waits between two attempts. */
  rest(): void
  /** Ends the wait between two attempts. The caller must call `enter` next. */
  resume(): void
  succeeded(): void
  failed(error: SubjectError, sentAt: number, now: number, waitMs: number | null): void
}

/** The part of the run's budget that a trial in progress uses. */
export interface TrialBudget {
  readonly isLimited: boolean
  reserveSoon(subject: string, estimateUsd: number | null): Promise<Reservation | null>
  /** Whether no money is left. */
  readonly isUsedUp: boolean
  /** Adds a known part of the cost of a trial in progress to the amount spent. */
  charge(reservation: Reservation, usd: number): void
  settle(reservation: Reservation, paid: Paid): void
}

export interface TrialServices {
  readonly store: TrialStore
  readonly budget: TrialBudget
  /** The subjects that graders may ask as judges. */
  readonly judges: readonly Subject[]
  /** Masks the messages to a judge. The judge's own secret stays, because its provider knows it. */
  readonly redactFor: (judge: Subject) => Redact
  /** The money paid for an earlier answer that cannot be graded. Undefined if the subject was not asked before. */
  readonly usdOfFirstAnswer: (trial: Identity) => number | undefined
  readonly readKept: (text: Text) => Promise<string>
  /** Whether only recorded answers are graded and no subject is asked. */
  readonly regrading: boolean
  readonly seed: number
  /**
   * Called with the amount spent on a stopped trial. Such a trial has no line in the log, so the amount would otherwise
   * be lost.
   */
  readonly spentOnStopped: (usd: number) => void
  /** The time limit for a judge's reply. */
  readonly timeoutMs: number
  /** The time limit for one run of a judge that explores, unless its grader sets one. */
  readonly agentTimeoutMs: number
  /** The time limit for a subject's answer to a case. */
  readonly timeoutOf: (suite: Suite, one: Case, worksInWorkspace: boolean) => number
  readonly gradeTimeoutMs: number
  /** Limits how many trials are graded at the same time. By default, one per core. */
  readonly grading?: Semaphore
  /** The sandbox for untrusted code. Null if no case needs one. */
  readonly sandbox: Sandbox | null
  /** Whether graders that are programs of the suite run in a sandbox, even if their case does not ask for it. */
  readonly sandboxGraders: boolean
  /** Creates the workspaces of agents. Null if no subject is an agent and no case has a workspace. */
  readonly workspaces: WorkspaceStore | null
  /** Whether to keep the requests of agents to their models, with the replies. */
  readonly recordTraffic?: boolean
  readonly cache: AnswerCache | null
  readonly clock: Clock
  readonly policy: RetryPolicy
  /** Shows a warning to the user. */
  readonly warn: (text: string) => void
}
