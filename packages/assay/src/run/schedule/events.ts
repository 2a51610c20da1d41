/** What a run tells while it goes on. */
import type { ReasonCode, Trial } from '@assay/contract'
import type { Ending } from '../../log/index.ts'
import type { BudgetState } from './budget.ts'

export type RunEvent =
  | {
      readonly type: 'start'
      readonly folder: string
      readonly planned: number
      /** Already recorded by an earlier session. */
      readonly done: number
      /** Requests at once, by provider: what the run starts with and the most that it grows to. */
      readonly parallelism: Readonly<
        Record<string, { readonly start: number; readonly most: number }>
      >
    }
  | { readonly type: 'warning'; readonly text: string }
  /** A provider is not asked for a while. */
  | {
      readonly type: 'wait'
      readonly provider: string
      readonly why: string
      readonly until: string
      /** Trials that need the provider and are not done. */
      readonly trials: number
    }
  /** A provider is not asked any more: its trials are errored with this reason. */
  | {
      readonly type: 'give-up'
      readonly provider: string
      readonly code: ReasonCode
      readonly text: string
      readonly trials: number
    }
  | { readonly type: 'trial'; readonly trial: Trial }
  | {
      readonly type: 'end'
      readonly how: Ending
      /** Where the budget ended it. */
      readonly budget?: BudgetState
    }
