/** The results of the analyzer for tests and solutions. They are sent through the host to other processes. */
import type { Diagnostic } from '../../../../language.ts'
import type { LoadFile } from '../modules.ts'

/** A test file as the body of a function. */
export interface PreparedTests {
  readonly body: string
  /** Plain JavaScript whose declarations are visible to the body: the complete part of a continuation's prompt. */
  readonly prelude: string
  /** Names that the prelude declares. The solution's values of the same names do not replace them. */
  readonly helpers: readonly string[]
  /** True if the file does more than declare things. If it registers no tests, the file itself is one test. */
  readonly isScript: boolean
  /** True if it runs as a script, not as a module: for example, undeclared variables are not errors. */
  readonly isSloppy: boolean
  readonly entryPoint: string | null
  /** The specifiers that it imports. */
  readonly imports: readonly string[]
}

export interface PreparedSolution {
  /** Empty if it compiles. */
  readonly errors: readonly Diagnostic[]
  readonly warnings: readonly Diagnostic[] | null
  readonly defined: {
    readonly functions: readonly string[]
    readonly types: readonly string[]
  } | null
  /** JavaScript by path, for the solution's files and the case's files. */
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
      /** Whether the case says that its programs are scripts. */
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
  /** The test source does not parse. */
  | { readonly kind: 'bad-tests'; readonly message: string }
