/**
 * The interface between the code grader and a programming language. Each language has one folder with one `Language`
 * object, which is registered in `languages.ts`. The grader extracts the code from an answer and passes it to the
 * language as a `CodeWork`. The language checks, tests and lints the code in the sandbox and returns a `CodeReport`.
 * The grader computes the score from the report.
 */
import type { Call, Dependency, Integrity } from '@assay/contract'
import type { Sandbox } from '@assay/sandbox'

export type Sources = Readonly<Record<string, string>>

export type Tests =
  | {
      readonly kind: 'source'
      readonly source: string
      /**
       * The function under test, if the test format names one. Tests such as `check(candidate)` get it as
       * `candidate`.
       */
      readonly entryPoint: string | null
      /**
       * The prompt, if the answer continues it. Tests may call the functions that the prompt defines before its last,
       * unfinished definition. All other functions that they call come from the solution.
       */
      readonly prelude: string | null
      /**
       * Names that the reference defines. If the language has a built-in function with such a name, the tests mean
       * the solution's function, not the built-in.
       */
      readonly defines?: readonly string[]
    }
  | { readonly kind: 'calls'; readonly entryPoint: string; readonly calls: readonly Call[] }

export interface CodeWork {
  /** The answer's files by relative path. */
  readonly files: Sources
  /** The path in `files` that tests import as the solution. */
  readonly main: string
  /** The name by which the tests import the solution's module; null if they do not import it by name. */
  readonly module: string | null
  /**
   * Names of the modules that an answer is expected to provide. Not set if the case does not tell. Then every
   * relative path in JavaScript tests may mean the solution.
   */
  readonly modules?: readonly string[]
  /** Files that the case provides. The solution can use them. They are not linted. */
  readonly support: Sources
  /** The tests of the case. Null if the code is only compiled and linted. */
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
  /**
   * Whether to count the assertions and calls of the tests and report them as `activity`. Never set when an answer is
   * graded.
   */
  readonly count?: true
  /**
   * Set if the solution is the case's reference and may run in a process that has already held other references.
   * Never set for an answer, because an answer must have a new process.
   */
  readonly isReference?: true
}

export interface CodeLimits {
  /** CPU time of the solution. Its wall time limit is `WALL_FACTOR` times this value. */
  readonly cpuMs: number
  readonly memoryBytes: number
}

export interface Diagnostic {
  readonly file: string
  /** The line number, counted from 1. */
  readonly line: number
  readonly column: number
  /**
   * The code of the finding, for example `TS2322`, `clippy::needless_return`, `F401` or `silenced`. Null if the tool
   * gives none.
   */
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
 * Set if the tests could not be loaded or built together with a solution. This alone does not show whether the tests
 * or the solution are at fault.
 */
export interface Unready {
  readonly text: string
  /** The missing module, if the tests import it by name at top level. */
  readonly module?: string
}

/** Why the solution was ended early. `text` is a phrase shown to the user. */
export interface Fault {
  readonly kind: 'timeout' | 'memory' | 'crash' | 'exit' | 'output'
  readonly text: string
  /**
   * Set if the solution was ended because it waited for too long without using CPU time, not because it used too
   * much.
   */
  readonly idle?: true
  /** Set if the compiler ended without a result. Then no code of the solution has run. */
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
  /** Names of the tests that the test source marks as skipped. They count neither as passed nor as failed. */
  readonly skipped?: readonly string[]
  /**
   * The lint warnings that lower the score, including directives that silence the linter. Null if the code was not
   * linted.
   */
  readonly warnings: readonly Diagnostic[] | null
  /**
   * Names that the code defines, from its syntax tree. Only definitions at top level are listed. For Rust, those in
   * modules and impls are listed too. Definitions inside functions are not.
   */
  readonly defined: {
    readonly functions: readonly string[]
    readonly types: readonly string[]
  } | null
  readonly fault: Fault | null
  /** Set if the tests could not be started. All of them then count as failed. */
  readonly unready?: Unready
  /**
   * Set if the solution was graded a second time because the machine was short of a resource. It is the reason, as
   * shown to the user.
   */
  readonly again?: string
  /** What the tests did. Set if `count` was requested and the tests ran isolated from the solution. */
  readonly activity?: TestActivity
  /**
   * Set if the process had already held other references. One of them may be the cause of a failure, so a failure
   * proves nothing.
   */
  readonly isUsed?: true
}

/** A program or library that a language needs, and whether it is installed. */
export interface Tool {
  readonly name: string
  /** The installed version; null if it is not installed. */
  readonly version: string | null
  /** How the user can install the tool. Set if the tool is missing or too old. */
  readonly how?: string
}

/**
 * What the test source shows.
 * - `active`: the tests make assertions and call something that the solution may define.
 * - `idle`: they do neither.
 * - `skipped`: the source skips all of its tests.
 * - `unclear`: the source does not show what the tests do, so they must be run.
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
 * Reads source without a compiler, with patterns or tokens. The grader uses it to extract code from answers and to
 * find the names that tests need.
 */
export interface SourceReader {
  /** Returns the source without string literals and comments. `isOpen` is true if one of them is not closed. */
  bare(source: string): { readonly text: string; readonly isOpen: boolean }
  /** Returns the definitions at top level. */
  defined(source: string): readonly Definition[]
  /** Returns the names of definitions at any depth, in order. */
  definedInside(source: string): readonly string[]
  /** Joins a prompt and an answer that repeats the definition with which the prompt ends. Returns the program. */
  afterPrompt(prompt: string, answer: string): string
  /** Returns the names of the types to which the source adds methods. */
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
  /** The language names after an opening fence (three backticks) that mean this language, in lower case. */
  readonly fences: readonly string[]
  /** The file name of the solution if an answer has only one file. */
  readonly main: string
  /** File name extensions of this language, with the dot. */
  readonly endings: readonly string[]
  readonly source: SourceReader
  /**
   * Null if cases of this language can have tests as data (`calls`). Otherwise, the error message for the author of a
   * suite that has them.
   */
  readonly callsFault: { readonly found: string; readonly expected: string } | null
  /** The keys of a case that this language supports, out of the keys that only some languages support. */
  readonly caseKeys: readonly ('allowUnsafe' | 'edition' | 'format' | 'includeIgnored')[]
  /**
   * Returns whether tests must run in the solution's process, because they change its modules, clock or globals.
   * `always`: they must. `perhaps`: they must, unless a reference passes isolated. Not set for a language without
   * such tests.
   */
  readonly inProcessNeeded?: (tests: string) => 'always' | 'perhaps' | 'no'
  /** Returns the packages that tests import by name. Not set for a language whose source does not show packages. */
  readonly packagesIn?: (tests: string) => readonly string[]
  /** The subfolder of `vendor` with this language's packages. */
  readonly vendorFolder: string
  /** Whether tests of this language can run isolated. If not, they all run in the process of the solution. */
  readonly isolated: boolean
  /** Returns what the test source shows, without running the tests. This is fast. */
  look(tests: string, entryPoint: string | null): Look
  /** Returns a stand-in: a solution that defines these names and accepts every call. Null if the language has none. */
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
   * A small correct program that is part of Assay, and a test that it passes. Grading it shows whether this machine
   * can grade at all, for example when it is short of memory.
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
