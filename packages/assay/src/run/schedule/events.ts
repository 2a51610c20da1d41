/** The events that a run reports. */
import type { ReasonCode, Trial } from '@assay/contract'
import type { Ending, Shard } from '../../log/index.ts'
import type { BudgetState } from './budget.ts'

export type RunEvent =
  | {
      readonly type: 'start'
      readonly folder: string
      readonly planned: number
      /** The number of trials that an earlier session recorded. */
      readonly done: number
      /** The part of the plan that this run covers. Absent if it covers the whole plan. */
      readonly shard?: Shard
      /** The number of parallel requests for each provider: at the start, and the maximum. */
      readonly parallelism: Readonly<
        Record<string, { readonly start: number; readonly most: number }>
      >
    }
  | { readonly type: 'warning'; readonly text: string }
  /** A text that the user should know. Unlike a warning, it is not about a problem. */
  | { readonly type: 'note'; readonly text: string }
  /** Assay sends no requests to a provider until a certain time. */
  | {
      readonly type: 'wait'
      readonly provider: string
      readonly why: string
      readonly until: string
      /** The number of unfinished trials that need the provider. */
      readonly trials: number
    }
  /** Assay gave up on a provider. Its trials become errored with this reason. */
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
      /** The state of the budget. Present only if the budget ended the run. */
      readonly budget?: BudgetState
    }
