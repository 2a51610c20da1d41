/** The messages between the host and the tester. */
import type { Call } from '@assay/contract'
import type { TestActivity, Unready } from '../../../language.ts'
import type { PreparedTests } from './analyze/prepared.ts'

export type TesterdTests =
  | { readonly kind: 'source'; readonly prepared: PreparedTests }
  | { readonly kind: 'calls'; readonly entryPoint: string; readonly calls: readonly Call[] }

export type FromHost =
  /** Test the solution at this link. It is about to report that it is loaded. */
  | {
      readonly say: 'run'
      readonly tests: TesterdTests
      readonly main: string
      readonly link: number
      /** Whether to count what the tests do. */
      readonly count?: true
    }
  /** Only list the tests. */
  | { readonly say: 'collect'; readonly prepared: PreparedTests }
  /** The solution has ended; `text` says why. */
  | { readonly say: 'lost'; readonly text: string }

export type FromTester =
  | {
      readonly say: 'names'
      readonly names: readonly string[]
      readonly skipped?: readonly string[]
    }
  | {
      readonly say: 'result'
      readonly index: number
      readonly passed: boolean
      readonly message?: string
    }
  /** The solution violates the protocol and should be ended. */
  | { readonly say: 'violation'; readonly kind: 'crash' | 'output'; readonly text: string }
  /** The solution has closed its link. The host knows why, or ends it. */
  | { readonly say: 'closed' }
  /** The tester itself failed. */
  | { readonly say: 'broken'; readonly text: string }
  | { readonly say: 'done'; readonly activity?: TestActivity; readonly unready?: Unready }
