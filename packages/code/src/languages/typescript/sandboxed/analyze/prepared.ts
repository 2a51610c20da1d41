/**
 * The requests to the analyzer, and its results for tests and solutions. The host passes these results to the
 * processes that run the code.
 */
import type { Diagnostic } from '../../../../language.ts'
import type { LoadFile } from '../modules.ts'

/** A test file, turned into the body of a function. */
export interface PreparedTests {
  readonly body: string
  /**
   * JavaScript whose declarations the test body can use. It is the part of the prompt before the unfinished function,
   * if the answer continues the prompt.
   */
  readonly prelude: string
  /** Names that the prelude declares. Exports of the solution with the same names do not replace them. */
  readonly helpers: readonly string[]
  /**
   * True if the file has statements other than declarations and never registers tests. The file itself is then one
   * test.
   */
  readonly isScript: boolean
  /**
   * True if the file runs as a script in sloppy mode, not as a module. An assignment to an undeclared variable is
   * then allowed.
   */
  readonly isSloppy: boolean
  readonly entryPoint: string | null
  /** The specifiers of all modules that the file imports or requires, anywhere. */
  readonly imports: readonly string[]
  /** The specifiers of those that every run of the file loads, because they are imported at top level. */
  readonly needed: readonly string[]
  /** The declared packages that the file imports. Files, Node's modules and test libraries are not packages. */
  readonly packages: readonly string[]
  /**
   * Whether the file mocks modules of the solution. Then the solution is loaded only after the mocks are registered.
   */
  readonly mocksModules: boolean
  readonly usesChai: boolean
}

export interface PreparedSolution {
  /** Why the solution does not compile; empty if it compiles. */
  readonly errors: readonly Diagnostic[]
  readonly warnings: readonly Diagnostic[] | null
  readonly defined: {
    readonly functions: readonly string[]
    readonly types: readonly string[]
  } | null
  /** The JavaScript of the solution's files and the case's files, by path. */
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
      /** Whether the case says that its solutions and tests are scripts instead of modules. */
      readonly script: boolean
      /** The packages that the case declares. */
      readonly declared: readonly string[]
    }
  | {
      readonly kind: 'tests'
      readonly source: string
      readonly prelude: string | null
      readonly entryPoint: string | null
      readonly script: boolean
      readonly declared: readonly string[]
    }

export type AnalyzerReply =
  | { readonly kind: 'solution'; readonly sample: PreparedSolution }
  | { readonly kind: 'tests'; readonly tests: PreparedTests }
  /** The test source does not parse. */
  | { readonly kind: 'bad-tests'; readonly message: string }
