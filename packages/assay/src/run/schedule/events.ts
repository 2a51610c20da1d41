/** What a run tells while it goes on. */
import type { Trial } from '@assay/contract'
import type { Ending } from '../../log/index.ts'

export type RunEvent =
  | {
      readonly type: 'start'
      readonly folder: string
      readonly planned: number
      /** Already recorded by an earlier session. */
      readonly done: number
    }
  | { readonly type: 'warning'; readonly text: string }
  | { readonly type: 'trial'; readonly trial: Trial }
  | { readonly type: 'end'; readonly how: Ending }
