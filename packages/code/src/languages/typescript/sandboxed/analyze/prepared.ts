/** What the front makes of tests and samples: data that travels from it through the host to others. */
import type { Diagnostic } from '../../../../language.ts'
import type { LoadFile } from '../modules.ts'

/** A test file as the body of a function. */
export interface PreparedTests {
  readonly body: string
  /** Plain JavaScript whose declarations the body sees: the complete part of a continuation's prompt. */
  readonly prelude: string
  /** What that declares; the solution's values of the same names do not replace it. */
  readonly helpers: readonly string[]
  /** It does something besides declaring: without registered tests it is one itself. */
  readonly isScript: boolean
  /** It runs as a script, not as a module: undeclared variables and the like are no errors. */
  readonly isSloppy: boolean
  readonly entryPoint: string | null
  /** What it imports. */
  readonly imports: readonly string[]
}

export interface PreparedSolution {
  /** Empty: it compiles. */
  readonly errors: readonly Diagnostic[]
  readonly warnings: readonly Diagnostic[] | null
  readonly defined: {
    readonly functions: readonly string[]
    readonly types: readonly string[]
  } | null
  /** JavaScript by path, of the sample and of what the case brings. */
  readonly files: Readonly<Record<string, LoadFile>>
}

export type AnalyzerRequest =
  | {
      readonly kind: 'solution'
      readonly files: Readonly<Record<string, string>>
      readonly main: string
      readonly support: Readonly<Record<string, string>>
      readonly lint: boolean
      readonly define: boolean
      /** The case says that its programs are scripts. */
      readonly script: boolean
    }
  | {
      readonly kind: 'tests'
      readonly source: string
      readonly prelude: string | null
      readonly entryPoint: string | null
      readonly script: boolean
    }

export type AnalyzerReply =
  | { readonly kind: 'solution'; readonly sample: PreparedSolution }
  | { readonly kind: 'tests'; readonly tests: PreparedTests }
  /** The test source is no program. */
  | { readonly kind: 'bad-tests'; readonly message: string }
