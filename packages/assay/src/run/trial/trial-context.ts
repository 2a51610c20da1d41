/** What all trials of a run share. */
import type { TrialOutcome } from '../../grade/index.ts'
import type { GradeTrial } from '../grade/grade-trial.ts'
import type { Reservation } from '../schedule/budget.ts'
import type { Job, RunCell } from '../schedule/job.ts'
import type { Pool } from '../schedule/provider-limiter.ts'

export interface Hooks {
  /** A trial's answer is there, or there will be none; its provider's place is free. */
  answered(pool: Pool): void
  /** A provider's place that a judge had has come free. */
  released(): void
  /** A trial's outcome is known; it is not on the disk yet. */
  settled(outcome: TrialOutcome, pool: Pool): void
  /** The budget does not allow what a trial under way needs. */
  outOfBudget(): void
}

export interface TrialContext {
  readonly job: Job
  /** Aborts when trials under way must end at once. */
  readonly signal: AbortSignal
  readonly hooks: Hooks
  readonly grade: GradeTrial
  /** Tells the user, the first time that it is called with a text. */
  readonly warnOnce: (text: string) => void
}

/** A trial that is asked for, with what was taken for it: a place in the pool and a part of the budget. */
export interface Dispatched {
  readonly index: number
  readonly cell: RunCell
  readonly pool: Pool
  /** Null where nothing was reserved. */
  readonly reserved: Reservation | null
}
