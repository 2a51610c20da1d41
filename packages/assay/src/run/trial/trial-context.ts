/** The objects and callbacks that all trials of a run share. */
import type { TrialOutcome } from '../../grade/index.ts'
import type { GradeTrial } from '../grade/grade-trial.ts'
import type { Reservation } from '../schedule/budget.ts'
import type { ProviderSlots, TrialCell, TrialServices } from './trial-services.ts'

export interface Hooks<Slots extends ProviderSlots> {
  /** Called when a trial has its answer, or will not get one. Its slot in the provider's pool is free. */
  answered(pool: Slots): void
  /** Called when a request of a judge or an agent has ended. Its slot in the provider's pool is free. */
  released(): void
  /** Called when the outcome of a trial is known, but before it is written to the disk. */
  settled(outcome: TrialOutcome, pool: Slots): void
  /** Called when the budget does not allow a request that a trial in progress needs. */
  outOfBudget(): void
}

export interface TrialContext<Slots extends ProviderSlots> {
  readonly services: TrialServices
  /** Aborts when trials in progress must stop at once. */
  readonly signal: AbortSignal
  readonly hooks: Hooks<Slots>
  readonly grade: GradeTrial
  /** The slots of each provider, by the name of its pool. */
  readonly pools: ReadonlyMap<string, Slots>
  /** Shows a warning to the user. Each text is shown only once. */
  readonly warnOnce: (text: string) => void
}

/** A trial that was started, with its slot in the pool and its reservation. */
export interface Dispatched<Slots extends ProviderSlots> {
  readonly index: number
  readonly cell: TrialCell
  readonly pool: Slots
  /** The money that is reserved for the answer. Null if nothing was reserved. */
  readonly reserved: Reservation | null
}
