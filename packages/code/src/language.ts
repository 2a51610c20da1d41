/**
 * The interface between the code grader and a programming language. Each language has one folder with one `Language`
 * object, registered in `languages.ts`. The grader extracts the code from an answer and passes it to the language as a
 * `CodeWork`. The language checks, tests and lints the code in the sandbox and returns a `CodeReport`. It does not
 * compute scores.
 */
import type { Call, Dependency, Integrity } from '@assay/contract'
import type { Sandbox } from '@assay/sandbox'

export type Sources = Readonly<Record<string, string>>

export type Tests =
  | {
      readonly kind: 'source'
      readonly source: string
      /** The function under test, if the test format has one: `check(candidate)` gets it as `candidate`. */
      readonly entryPoint: string | null
      /**
       * The prompt of a continuation. Tests may call the functions that the prompt defines before its last, unfinished
       * definition. All other functions that they call come from the solution.
       */
      readonly prelude: string | null
      /**
       * Names that the reference defines. If the language has a built-in with such a name, the tests mean the
       * solution's definition, not the built-in.
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
  /** Files that the case provides. The solution can use them. They are not linted. */
  readonly support: Sources
  /** Null if the code is only compiled (and linted). */
  readonly tests: Tests | null
  readonly lint: boolean
  readonly integrity: Integrity
  /** Whether to report the definitions in the code (`defined`). */
  readonly define: boolean
  /** JavaScript and TypeScript: `script` if the solution and the tests are plain scripts instead of modules. */
  readonly format: 'script' | null
  /** The edition, for a language that has editions. Null means the language's default edition. */
  readonly edition: string | null
  /** Rust: whether tests with `#[ignore]` also run. */
  readonly includeIgnored?: boolean
  /** Whether unsafe code is accepted, in a language that has it, such as Rust. */
  readonly allowUnsafe: boolean
  readonly dependencies: readonly Dependency[]
  /** The folder next to the suite with packages that the user vendored; null if there is none. */
  readonly vendor: string | null
  readonly limits: CodeLimits
  readonly signal: AbortSignal
  /** Whether to count what the tests do and report it as `activity`. Never set when an answer is graded. */
  readonly count?: true
  /** Set for a reference that may run in a process that has held other references. Never set for an answer. */
  readonly isReference?: true
}

export interface CodeLimits {
  /** CPU time of the solution. Its wall time limit is `WALL_FACTOR` times this value. */
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

/** What the tests did while they ran, as counted by the process that runs the tests. */
export interface TestActivity {
  readonly assertions: number
  /** How often the tests called the solution or accessed it in another way. */
  readonly uses: number
}

/**
 * The tests could not be loaded or built together with a solution. This alone does not show whether the tests or the
 * solution are at fault.
 */
export interface Unready {
  readonly text: string
  /** The missing module, if the tests import one by name at top level. */
  readonly module?: string
}

/** Why the solution was ended early. `text` is a phrase shown to the user. */
export interface Fault {
  readonly kind: 'timeout' | 'memory' | 'crash' | 'exit' | 'output'
  readonly text: string
  /** Set if the solution was ended because it used no CPU time for too long, not because it used too much. */
  readonly idle?: true
  /** Set if the compiler ended without a result, so that no code of the solution has run. */
  readonly byCompiler?: true
}

export interface CodeReport {
  readonly compiled: boolean
  /** Why the code does not compile. */
  readonly errors: readonly Diagnostic[]
  /** The compiler's warnings. They are shown to the user but do not change the score. */
  readonly notes: readonly Diagnostic[]
  /**
   * Every test of the case, once each, in order. A test without a reported result counts as failed. Null if no tests
   * were requested or the code did not compile. Empty if the test source contains no test.
   */
  readonly tests: readonly TestResult[] | null
  /** Names of tests that the test source skips. They count neither as passed nor as failed. */
  readonly skipped?: readonly string[]
  /**
   * The lint warnings that lower the score, including directives that silence the linter. Null if the code was not
   * linted.
   */
  readonly warnings: readonly Diagnostic[] | null
  /**
   * Names that the code defines, from its syntax tree. Only definitions at top level are listed and, for Rust, those in
   * modules and impls. Definitions nested in functions are not.
   */
  readonly defined: {
    readonly functions: readonly string[]
    readonly types: readonly string[]
  } | null
  readonly fault: Fault | null
  /** Set if the tests could not be started. All of them then count as failed. */
  readonly unready?: Unready
  /**
   * Set if the solution was graded a second time because the machine was short of a resource: the reason, shown to the
   * user.
   */
  readonly again?: string
  /** Set if `count` was requested and the tests ran isolated from the solution. */
  readonly activity?: TestActivity
  /** Set if the process had held other references before. Then a failure is no proof. */
  readonly isUsed?: true
}

/** A program or library that a language needs, and whether it is installed. */
export interface Tool {
  readonly name: string
  /** Null if it is not installed. */
  readonly version: string | null
  /** How the user can install the tool. Set if the tool is missing or too old. */
  readonly how?: string
}

/**
 * What the test source shows. `active`: the tests make assertions and call something that may be defined by the
 * solution. `idle`: they do neither. `skipped`: the source skips all of its tests. `unclear`: the source is not
 * conclusive, so the tests must be run.
 */
export type Look = 'active' | 'idle' | 'skipped' | 'unclear'

/** A name that a program defines at its top level. */
export interface Definition {
  readonly name: string
  readonly kind: 'function' | 'type' | 'value'
}

/** A module that tests import and that could be the solution. */
export interface ImportedModule {
  readonly name: string
  /** Names that the tests import from the module. Each entry lists alternatives: the module must define one of them. */
  readonly names: readonly (readonly string[])[]
}

/**
 * Reads source with regular expressions instead of a compiler. The grader uses it to extract code from answers and to
 * find the names that tests need.
 */
export interface SourceReader {
  /** Returns the source without string literals and comments. `isOpen` is true if one of them is not closed. */
  bare(source: string): { readonly text: string; readonly isOpen: boolean }
  /** Returns the definitions at top level. */
  defined(source: string): readonly Definition[]
  /** Returns the names of definitions at any depth, in order. */
  definedInside(source: string): readonly string[]
  /** Returns the program for an answer that repeats the definition with which its prompt ends. */
  afterPrompt(prompt: string, answer: string): string
  /** Returns the types to which the source adds methods. */
  extended(source: string): readonly string[]
  /** Returns the modules that tests import. Standard modules, test frameworks and well-known packages are left out. */
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
  /** The info strings after which a fenced block is in this language, in lower case. */
  readonly fences: readonly string[]
  /** The file name of the solution if an answer has only one file. */
  readonly main: string
  /** File name extensions of this language, with the dot. */
  readonly endings: readonly string[]
  readonly source: SourceReader
  /**
   * The error message for the author of a suite, if cases of this language cannot have calls as data. Null if they can.
   */
  readonly callsFault: { readonly found: string; readonly expected: string } | null
  /** Keys of a case that this language supports, of those that not every language supports. */
  readonly caseKeys: readonly ('allowUnsafe' | 'edition' | 'format' | 'includeIgnored')[]
  /**
   * Says whether tests must run in the solution's process, because they change its surroundings (its modules, clock
   * or globals). `always`: they must. `perhaps`: they must, unless a reference passes isolated. Not set for a
   * language without such tests.
   */
  readonly inProcessNeeded?: (tests: string) => 'always' | 'perhaps' | 'no'
  /** Returns the packages that tests import by name. Not set for a language whose source does not show them. */
  readonly packagesIn?: (tests: string) => readonly string[]
  /** The subfolder of `vendor` with this language's packages. */
  readonly vendorFolder: string
  /** Whether tests can run isolated. If not, all tests run in the process of the solution. */
  readonly isolated: boolean
  /** Reports what the test source shows without running it. This is fast. */
  look(tests: string, entryPoint: string | null): Look
  /**
   * Returns a solution that defines these names and accepts every call, or null if the language has no such stand-in.
   */
  standIn(names: readonly string[]): string | null
  /**
   * Returns a program that defines these names but does nothing correctly, or null if that is not possible. The
   * reference is passed because the program needs its signatures.
   */
  faulty(
    deed: 'empty' | 'returns nothing' | 'constant' | 'exception',
    definitions: readonly Definition[],
    reference: string | null,
  ): string | null
  /**
   * A small correct program from Assay, with a test that it passes. It is graded to find out whether this machine can
   * grade at all, for example when it is short of memory.
   */
  readonly control: { readonly solution: string; readonly tests: string }
  /** Lists the tools that the language needs, and which of them are installed. Does not throw. */
  inspect(): Promise<readonly Tool[]>
  /** Returns a line for each dependency that is neither vendored nor in a cache, with how to get it. */
  missing(dependencies: readonly Dependency[], vendor: string | null): Promise<readonly string[]>
  /** Returns the language's tools. Their processes start only when needed. */
  open(sandbox: Sandbox): LanguageTools
}

export interface LanguageTools {
  /**
   * Starts the processes that every solution needs, so that the first solution does not wait for them. If a start
   * fails, `assess` tries it again and reports the failure.
   */
  start(): void
  /**
   * Compiles, tests and lints one solution. May be called concurrently, up to the number of cores. A failure that the
   * solution causes is part of the report. Rejects:
   * - with `SandboxError` if the sandbox or a tool failed before any code of the solution ran
   * - with the signal's reason when it aborts
   * - with `TestsFault` if the test source alone shows that no solution could pass the tests
   */
  assess(work: CodeWork): Promise<CodeReport>
  close(): Promise<void>
}
