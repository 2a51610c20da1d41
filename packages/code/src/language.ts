/**
 * The interface between the code grader and a programming language. Each language is one folder with one `Language`,
 * registered in `languages.ts`. The grader extracts the code from an answer and passes it on as work. The language
 * checks, tests and lints the code in the sandbox and reports the results. It does not compute scores.
 */
import type { Call, Dependency, Integrity } from '@assay/contract'
import type { Sandbox } from '@assay/sandbox'

export type Sources = Readonly<Record<string, string>>

export type Tests =
  | {
      readonly kind: 'source'
      readonly source: string
      /** The function under test, if the format names one (`check(candidate)`). */
      readonly entryPoint: string | null
      /**
       * The prompt of a continuation. Tests may call the functions that it defines before its last, unfinished
       * definition; everything else that they call is the solution's.
       */
      readonly prelude: string | null
      /**
       * Names that the reference defines. If the language has a built-in of the same name, tests mean the solution's.
       */
      readonly defines?: readonly string[]
    }
  | { readonly kind: 'calls'; readonly entryPoint: string; readonly calls: readonly Call[] }

export interface CodeWork {
  /** The answer's files by relative path. */
  readonly files: Sources
  /** The path in `files` that tests import as the solution. */
  readonly main: string
  /** The name under which the tests import the solution's module; null if they name none. */
  readonly module: string | null
  /** Files that the case provides. The solution can use them; they are neither linted nor counted. */
  readonly support: Sources
  /** Null: only compile (and lint). */
  readonly tests: Tests | null
  readonly lint: boolean
  readonly integrity: Integrity
  /** Whether to report `defined`. */
  readonly define: boolean
  /** For JavaScript and TypeScript: `script` if solution and tests are not modules. */
  readonly format: 'script' | null
  /** For a language with editions; null means its default edition. */
  readonly edition: string | null
  /** Whether unsafe code is accepted, in a language that has it. */
  readonly allowUnsafe: boolean
  readonly dependencies: readonly Dependency[]
  /** The folder next to the suite with packages that the user vendored; null if there is none. */
  readonly vendor: string | null
  readonly limits: CodeLimits
  readonly signal: AbortSignal
  /** Whether to report `activity`. Never set when an answer is graded. */
  readonly count?: true
}

export interface CodeLimits {
  /** CPU time of the solution. Its wall time limit is `WALL_FACTOR` times that. */
  readonly cpuMs: number
  readonly memoryBytes: number
}

export interface Diagnostic {
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  readonly column: number
  /** For example `TS2322`, `clippy::needless_return`, `F401` or `silenced`; null if the tool gives no code. */
  readonly code: string | null
  readonly message: string
}

export interface TestResult {
  readonly name: string
  readonly passed: boolean
  /** Why the test failed, in one line or a few. */
  readonly message?: string
}

/** What the tests did while they ran, as counted in the tester. */
export interface TestActivity {
  readonly assertions: number
  /** Calls of the solution and other accesses to it. */
  readonly uses: number
}

/**
 * Tests could not be loaded or built together with a solution. This alone does not show which of the two is at fault.
 */
export interface Unready {
  readonly text: string
  /** The missing module that the tests import by name at top level. */
  readonly module?: string
}

/** Why the solution was ended early. `text` is one sentence for people. */
export interface Fault {
  readonly kind: 'timeout' | 'memory' | 'crash' | 'exit' | 'output'
  readonly text: string
  /** Set if the solution used no CPU time and was ended for being idle, not for exceeding its time. */
  readonly idle?: true
}

export interface CodeReport {
  readonly compiled: boolean
  /** Why the code does not compile. */
  readonly errors: readonly Diagnostic[]
  /** The compiler's warnings. They are shown but not counted. */
  readonly notes: readonly Diagnostic[]
  /**
   * Every test of the case, once each, in order. A test that did not report has failed. Null if no tests were
   * requested or the code did not compile. Empty if the test source contains no test.
   */
  readonly tests: readonly TestResult[] | null
  /** Names of tests that the test source skips. They are not counted. */
  readonly skipped?: readonly string[]
  /** Lint warnings that count, including directives that silence the linter. Null if the code was not linted. */
  readonly warnings: readonly Diagnostic[] | null
  /**
   * Definitions from the syntax tree: only those at top level and, for Rust, in modules and impls. Nested ones are
   * excluded.
   */
  readonly defined: {
    readonly functions: readonly string[]
    readonly types: readonly string[]
  } | null
  readonly fault: Fault | null
  /** Set if the tests could not be started. Then all of them have failed. */
  readonly unready?: Unready
  /** Set if it was requested and the tests ran isolated from the solution. */
  readonly activity?: TestActivity
}

/** A program or library that a language needs, and whether it is installed. */
export interface Tool {
  readonly name: string
  /** Null if it is not installed. */
  readonly version: string | null
  /** Instructions for the user to install it, if it is missing or too old. */
  readonly how?: string
}

/**
 * `active`: the tests make assertions and call something that may be the solution's. `idle`: they do neither.
 * `skipped`: the source skips all of its tests. `unclear`: only running the tests can show it.
 */
export type Look = 'active' | 'idle' | 'skipped' | 'unclear'

/** A name that a program defines at its top level. */
export interface Definition {
  readonly name: string
  readonly kind: 'function' | 'type' | 'value'
}

/** A module that tests import and that could be the solution, with the name used in the tests. */
export interface ImportedModule {
  readonly name: string
  /** Names that the tests import from it. Each entry lists alternatives, of which one is enough. */
  readonly names: readonly (readonly string[])[]
}

/** Reads source with patterns instead of a compiler: to extract code from answers and to see what tests need. */
export interface SourceReader {
  /** Returns the source without string literals and comments. */
  bare(source: string): { readonly text: string; readonly isOpen: boolean }
  /** Returns the definitions at top level. */
  defined(source: string): readonly Definition[]
  /** Returns the names of definitions at any depth, in order. */
  definedInside(source: string): readonly string[]
  /** Returns the program for an answer that repeats the definition at the end of its prompt. */
  afterPrompt(prompt: string, answer: string): string
  /** Returns the types that the source adds methods to. */
  extended(source: string): readonly string[]
  /** Returns the modules that tests import, except standard modules, test frameworks and well-known packages. */
  imports(tests: string): readonly ImportedModule[]
  /** Returns the names that the tests use but do not define. */
  mentioned(tests: string): ReadonlySet<string>
  /** Whether a line imports something. */
  isImport(line: string): boolean
  /** Returns the name under which a file or package is imported. */
  moduleOf(path: string): string
}

export interface Language {
  readonly name: string
  /** Info strings of fenced blocks that mean this language, in lower case. */
  readonly fences: readonly string[]
  /** The file name of the solution if an answer has only one file. */
  readonly main: string
  /** File name extensions of this language, with the dot. */
  readonly endings: readonly string[]
  readonly source: SourceReader
  /** Why cases of this language cannot have calls as data, as a message to the suite's author. Null if they can. */
  readonly callsFault: { readonly found: string; readonly expected: string } | null
  /** Keys of a case that this language supports and others may not. */
  readonly caseKeys: readonly ('allowUnsafe' | 'edition' | 'format')[]
  /** The folder in `vendor` with this language's packages. */
  readonly vendorFolder: string
  /** Whether tests can run isolated. If not, all tests run in the process of the solution. */
  readonly isolated: boolean
  /** Reports what the source of the tests alone shows. This is fast. */
  look(tests: string, entryPoint: string | null): Look
  /**
   * Returns a solution that defines these names and accepts every call, or null if the language has no such stand-in.
   */
  standIn(names: readonly string[]): string | null
  /**
   * Returns a program that has these definitions but does nothing correctly, or null if that is not possible. The
   * reference is passed for its signatures.
   */
  faulty(
    deed: 'empty' | 'returns nothing' | 'constant' | 'exception',
    definitions: readonly Definition[],
    reference: string | null,
  ): string | null
  /** Lists the tools that the language needs and what is installed. Does not throw. */
  inspect(): Promise<readonly Tool[]>
  /** Returns the dependencies that are neither in the vendored folder nor in a cache, each with how to get it. */
  missing(dependencies: readonly Dependency[], vendor: string | null): Promise<readonly string[]>
  /** Opens the tools. They start their processes only when needed. */
  open(sandbox: Sandbox): LanguageTools
}

export interface LanguageTools {
  /**
   * Does all of the work on one solution. May be called concurrently, up to the number of cores. Whatever the
   * solution does is in the report. Rejects:
   * - with `SandboxError` if the sandbox or a tool failed before the solution could have any effect
   * - with the signal's reason when it aborts
   * - with `TestsFault` if the test source alone shows that no solution could pass the tests
   */
  assess(work: CodeWork): Promise<CodeReport>
  close(): Promise<void>
}
