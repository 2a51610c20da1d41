/** The messages between the host and the tester. */
import type { Call } from '@assay/contract'
import type { TestActivity, Unready } from '../../../language.ts'
import type { PreparedTests } from './analyze/prepared.ts'

export type TesterdTests =
  | { readonly kind: 'source'; readonly prepared: PreparedTests }
  | { readonly kind: 'calls'; readonly entryPoint: string; readonly calls: readonly Call[] }

export type FromHost =
  /** Test the solution that is connected over this link. Its process will soon report that the solution is loaded. */
  | {
      readonly say: 'run'
      readonly tests: TesterdTests
      readonly main: string
      /** Names by which tests may import the main module; null if every relative path means it. */
      readonly modules: readonly string[] | null
      readonly link: number
      /** The folder with the packages that tests import; null if the case declares none. */
      readonly packages: string | null
      /** Whether to count the assertions of the tests and their calls of the solution. */
      readonly count?: true
    }
  /** List the tests only, and do not run them. */
  | {
      readonly say: 'collect'
      readonly prepared: PreparedTests
      readonly packages: string | null
      /** The JSON files of the case, by path. Tests may be made from their content. */
      readonly data: Readonly<Record<string, string>>
    }
  /** The solution has ended. `text` says why. */
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
  /** The solution has violated the protocol. The host should end it. */
  | { readonly say: 'violation'; readonly kind: 'crash' | 'output'; readonly text: string }
  /** The solution has closed its link. If the host does not know why, it ends the solution. */
  | { readonly say: 'closed' }
  /** The tester itself failed. */
  | { readonly say: 'broken'; readonly text: string }
  | { readonly say: 'done'; readonly activity?: TestActivity; readonly unready?: Unready }
