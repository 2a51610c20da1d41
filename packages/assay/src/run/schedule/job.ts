/** Everything that the scheduler needs to run a plan on this machine. */
import type { Case, Subject, Suite } from '@assay/contract'
import type { SandboxChoice } from '@assay/sandbox'
import type { Cell, Ending, Plan, Revision, Tally } from '../../log/index.ts'
import type { Pending } from '../resume/pending.ts'
import type { TrialServices } from '../trial/trial-services.ts'
import type { Budget } from './budget.ts'
import type { RunEvent } from './events.ts'

/** A provider that the run waited for, or gave up on. */
export interface Wait {
  readonly provider: string
  readonly why: string
  readonly until: string
  readonly trials: number
  readonly gaveUp?: true
}

/** Runs the missing trials of a plan. */
export interface Engine {
  execute(job: Job): Promise<Ending>
}

/** The sandbox and tools with which the run's code is graded, in the form that the record stores. */
export type GradedWith = Pick<Revision, 'sandbox' | 'toolchains' | 'programLimits'>

export interface Job extends Omit<TrialServices, 'warn'> {
  /** The id of the run. */
  readonly run: string
  readonly plan: Plan<Suite, Subject>
  readonly tally: Tally
  /**
   * The answers that are not graded yet, by the trial's position in the plan. They come from an earlier session of this
   * run or, when regrading, from an earlier run.
   */
  readonly pending: Map<number, Pending>
  /** The number of parallel requests per provider, if the user set one. */
  readonly parallelism: number | null
  /** The most requests per second to one provider. Null if there is no limit. */
  readonly rate: number | null
  /** Adds the sandbox and tools that grade the code to the record. Used if another machine grades the code. */
  readonly keepGradedWith: (found: GradedWith) => void
  /** Whether setup commands run without network. */
  readonly offlineSetup: boolean
  /** The sandbox that the user chose. */
  readonly sandboxChoice: SandboxChoice
  /** If a provider asks for a longer wait than this, Assay gives up on it. */
  readonly maxWaitMs: number
  /** Adds a wait to the record. */
  readonly keepWait: (wait: Wait) => void
  /** Adds to the record how many answers were requested again because a machine was lost. Returns the total so far. */
  readonly addAskedAgain: (answers: number) => number
  /**
   * The cases that cannot be graded on this machine, each with what is missing. Their trials are errored without asking
   * a subject.
   */
  readonly lacks: ReadonlyMap<Case, string>
  readonly budget: Budget
  /** The most trials that may be errored. If more are, no new trials start. */
  readonly mostErrors: number
  /** Whether errored trials of an earlier session are left as they are. */
  readonly keepErrors: boolean
  /** When this signal aborts, the run stops: no new trials start, and trials in progress get `graceMs` to finish. */
  readonly signal: AbortSignal
  readonly graceMs: number
  readonly onEvent: (event: RunEvent) => void
  /** See `ready` in `RunOptions`. */
  readonly ready: () => Promise<void> | null
}

export type RunCell = Cell<Suite, Subject>
