/** What the host and the tester say to each other. */
import type { Call } from '@assay/contract'
import type { TestActivity, Unready } from '../../../language.ts'
import type { PreparedTests } from './analyze/prepared.ts'

export type TesterdTests =
  | { readonly kind: 'source'; readonly prepared: PreparedTests }
  | { readonly kind: 'calls'; readonly entryPoint: string; readonly calls: readonly Call[] }

export type FromHost =
  /** Tester the sample at this link, which is about to say that it is loaded. */
  | {
      readonly say: 'run'
      readonly tests: TesterdTests
      readonly main: string
      readonly link: number
      /** What the tests do is counted. */
      readonly count?: true
    }
  /** Only which tests there are. */
  | { readonly say: 'collect'; readonly prepared: PreparedTests }
  /** The sample is gone, and why. */
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
  /** The sample does not keep to the protocol and should be ended. */
  | { readonly say: 'violation'; readonly kind: 'crash' | 'output'; readonly text: string }
  /** The sample is not at its link any more; the host knows why, or ends it. */
  | { readonly say: 'closed' }
  /** The tester itself failed. */
  | { readonly say: 'broken'; readonly text: string }
  | { readonly say: 'done'; readonly activity?: TestActivity; readonly unready?: Unready }
