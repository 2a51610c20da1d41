/** The objects and callbacks that all trials of a run share. */
import type { TrialOutcome } from '../../grade/index.ts'
import type { GradeTrial } from '../grade/grade-trial.ts'
import type { Reservation } from '../schedule/budget.ts'
import type { ProviderSlots, TrialCell, TrialServices } from './trial-services.ts'

export interface Hooks<Slots extends ProviderSlots> {
  /** A trial has its answer, or will get none. Its slot in the provider's pool is free. */
  answered(pool: Slots): void
  /** A judge's request has ended, and its slot in the provider's pool is free. */
  released(): void
  /** A trial's outcome is known, but not on the disk yet. */
  settled(outcome: TrialOutcome, pool: Slots): void
  /** The budget does not allow a request that a trial in progress needs. */
  outOfBudget(): void
}

export interface TrialContext<Slots extends ProviderSlots> {
  readonly services: TrialServices
  /** Aborts when trials in progress must end at once. */
  readonly signal: AbortSignal
  readonly hooks: Hooks<Slots>
  readonly grade: GradeTrial
  /** The slots of each provider, by the name of its pool. */
  readonly pools: ReadonlyMap<string, Slots>
  /** Shows a warning to the user, but each text only once. */
  readonly warnOnce: (text: string) => void
}

/** A trial that was started, with its slot in the pool and its reservation. */
export interface Dispatched<Slots extends ProviderSlots> {
  readonly index: number
  readonly cell: TrialCell
  readonly pool: Slots
  /** Null if nothing was reserved. */
  readonly reserved: Reservation | null
}
