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

/** What the code of a run is graded with, as the record shows it. */
export type GradedWith = Pick<Revision, 'sandbox' | 'toolchains' | 'programLimits'>

export interface Job extends Omit<TrialServices, 'warn'> {
  /** The id of the run. */
  readonly run: string
  readonly plan: Plan<Suite, Subject>
  readonly tally: Tally
  /** By ordinal: answers that are not graded yet, from an earlier session or, when regrading, from an earlier run. */
  readonly pending: Map<number, Pending>
  /** The number of parallel requests per provider, if the user set one. */
  readonly parallelism: number | null
  /** The most requests per second to one provider. Null if there is no limit. */
  readonly rate: number | null
  /** Adds to the record what code is graded with, if another machine grades it. */
  readonly keepGradedWith: (found: GradedWith) => void
  /** Whether setup commands run without network. */
  readonly offlineSetup: boolean
  /** The sandbox that the user chose. */
  readonly sandboxChoice: SandboxChoice
  /** If a provider asks to wait longer than this, Assay gives up on it. */
  readonly maxWaitMs: number
  /** Adds a wait to the record. */
  readonly keepWait: (wait: Wait) => void
  /** Adds to the record how many answers were requested again after a machine was lost. Returns the sum so far. */
  readonly addAskedAgain: (answers: number) => number
  /**
   * The cases that cannot be graded on this machine, each with what is missing. Their trials are errored without asking
   * a subject.
   */
  readonly lacks: ReadonlyMap<Case, string>
  readonly budget: Budget
  /** No new trials start when more trials than this have errored. */
  readonly mostErrors: number
  /** Whether errored trials of an earlier session are left as they are. */
  readonly keepErrors: boolean
  /** Aborts to stop the run: no new trials start, and those in progress get `graceMs` to finish. */
  readonly signal: AbortSignal
  readonly graceMs: number
  readonly onEvent: (event: RunEvent) => void
  /** See `ready` in `RunOptions`. */
  readonly ready: () => Promise<void> | null
}

export type RunCell = Cell<Suite, Subject>
