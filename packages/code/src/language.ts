/**
 * What a programming language is to the code grader. Each is one folder with one `Language`, registered
 * in `languages.ts`. The grader takes the code out of an answer and hands over work; the language checks,
 * tests and lints it in the sandbox and says what it found. It decides nothing about scores.
 */
import type { Call, Dependency, Integrity } from '@assay/contract'
import type { Sandbox } from '@assay/sandbox'

export type Sources = Readonly<Record<string, string>>

export type Tests =
  | {
      readonly kind: 'source'
      readonly source: string
      /** The function under test, where the format names one (`check(candidate)`). */
      readonly entryPoint: string | null
      /**
       * The prompt of a continuation. The functions that it defines before its last, unfinished definition may be
       * called by the tests; everything else that they call is the solution's.
       */
      readonly prelude: string | null
      /** Names that the reference defines: where the language has them too, tests mean the solution's. */
      readonly defines?: readonly string[]
    }
  | { readonly kind: 'calls'; readonly entryPoint: string; readonly calls: readonly Call[] }

export interface CodeWork {
  /** The answer's files by relative path. */
  readonly files: Sources
  /** The path in `files` that tests mean by the solution. */
  readonly main: string
  /** What the tests call the solution's module; null where they name none. */
  readonly module: string | null
  /** Files that the case brings; there for the sample, neither linted nor counted. */
  readonly support: Sources
  /** Null: only compile (and lint). */
  readonly tests: Tests | null
  readonly lint: boolean
  readonly integrity: Integrity
  /** Whether `defined` is wanted. */
  readonly define: boolean
  /** JavaScript and TypeScript: `script` where solution and tests are no modules. */
  readonly format: 'script' | null
  /** Of a language with editions; null: the one that it takes unless told. */
  readonly edition: string | null
  /** Where the language knows unsafe code, it is not refused. */
  readonly allowUnsafe: boolean
  readonly dependencies: readonly Dependency[]
  /** The folder with what the user has vendored, beside the suite; null where there is none. */
  readonly vendor: string | null
  readonly limits: CodeLimits
  readonly signal: AbortSignal
  /** Whether `activity` is wanted: never for an answer. */
  readonly count?: true
}

export interface CodeLimits {
  /** Processor time of the sample; its wall time is `WALL_FACTOR` times that. */
  readonly cpuMs: number
  readonly memoryBytes: number
}

export interface Diagnostic {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly column: number
  /** `TS2322`, `clippy::needless_return`, `F401`, `silenced`; null where the tool gives none. */
  readonly code: string | null
  readonly message: string
}

export interface TestResult {
  readonly name: string
  readonly passed: boolean
  /** Why not, in one line or a few. */
  readonly message?: string
}

/** What tests did while they ran, seen from where they ran. */
export interface TestActivity {
  readonly assertions: number
  /** Calls of the solution, and what else was asked of it. */
  readonly uses: number
}

/** Tests that could not be loaded, or built, together with a solution. It alone does not tell whose fault that is. */
export interface Unready {
  readonly text: string
  /** The module that they import by its name at their top, and that is not there. */
  readonly module?: string
}

/** What ended the sample's work before its own end. One sentence for people in `text`. */
export interface Fault {
  readonly kind: 'timeout' | 'memory' | 'crash' | 'exit' | 'output'
  readonly text: string
  /** It used no processor and was ended for that, not for the time that it took. */
  readonly idle?: true
}

export interface CodeReport {
  readonly compiled: boolean
  /** Why it does not compile. */
  readonly errors: readonly Diagnostic[]
  /** Shown, not counted: the compiler's own warnings. */
  readonly notes: readonly Diagnostic[]
  /**
   * Every test that the case has, once each, in order: one that did not get to report has failed. Null
   * where none were wanted or the code did not compile. Empty: the test source holds no test.
   */
  readonly tests: readonly TestResult[] | null
  /** Names of tests that the test source says to skip; they count nowhere. */
  readonly skipped?: readonly string[]
  /** Lint warnings that count, silencing directives among them; null where not linted. */
  readonly warnings: readonly Diagnostic[] | null
  /** By the syntax tree, those of any depth excluded: top level and, for Rust, in modules and impls. */
  readonly defined: {
    readonly functions: readonly string[]
    readonly types: readonly string[]
  } | null
  readonly fault: Fault | null
  /** Where the tests did not come to run; then all of them have failed. */
  readonly unready?: Unready
  /** Where it was wanted and the tests ran apart from the sample. */
  readonly activity?: TestActivity
}

/** One program or library that a language needs, and whether it is here. */
export interface Tool {
  readonly name: string
  /** Null where it is missing. */
  readonly version: string | null
  /** How to get it, for the machine's user; where it is missing or too old. */
  readonly how?: string
}

/**
 * `active`: assertions are made, and something is called that may be the solution's. `idle`: neither. `skipped`: the
 * source skips all of its tests. `unclear`: only running the tests can tell.
 */
export type Look = 'active' | 'idle' | 'skipped' | 'unclear'

/** A name that a program defines at its top level. */
export interface Definition {
  readonly name: string
  readonly kind: 'function' | 'type' | 'value'
}

/** A module that tests import and that could be the solution's, as the tests name it. */
export interface ImportedModule {
  readonly name: string
  /** Names that the tests take from it; of each entry, one suffices. */
  readonly names: readonly (readonly string[])[]
}

/** How source is read by patterns, without a compiler: to take code out of answers and to see what tests need. */
export interface SourceReader {
  /** Without texts and comments. */
  bare(source: string): { readonly text: string; readonly isOpen: boolean }
  /** At the top level. */
  defined(source: string): readonly Definition[]
  /** Names of definitions at any depth, in order. */
  definedInside(source: string): readonly string[]
  /** A program whose answer repeats the definition that its prompt ends with. */
  afterPrompt(prompt: string, answer: string): string
  /** Types that the source adds methods to. */
  extended(source: string): readonly string[]
  /** What tests import, without the language's own modules, test frameworks and well-known packages. */
  imports(tests: string): readonly ImportedModule[]
  /** Names in tests that the tests do not define. */
  mentioned(tests: string): ReadonlySet<string>
  /** Whether a line imports something. */
  isImport(line: string): boolean
  /** The name by which a file or package is imported. */
  moduleOf(path: string): string
}

export interface Language {
  readonly name: string
  /** Info strings of fenced blocks that mean this language, lower case. */
  readonly fences: readonly string[]
  /** What the only file of an answer is called. */
  readonly main: string
  /** Endings of file names of this language, with the dot. */
  readonly endings: readonly string[]
  readonly source: SourceReader
  /** What is wrong with calls as data, told to the suite's author; null where cases may have them. */
  readonly callsFault: { readonly found: string; readonly expected: string } | null
  /** Keys of a case that only some languages have. */
  readonly caseKeys: readonly ('allowUnsafe' | 'edition' | 'format')[]
  /** The folder in `vendor` with this language's packages. */
  readonly vendorFolder: string
  /** Whether tests can run isolated; else all run in the process of the solution. */
  readonly isolated: boolean
  /** What can be said about tests by looking at their source alone, in little time. */
  look(tests: string, entryPoint: string | null): Look
  /** A solution that has these names and answers everything; null where there can be none. */
  standIn(names: readonly string[]): string | null
  /**
   * A program that has these definitions and does nothing right; null where there can be none. The reference is
   * there for its signatures.
   */
  faulty(
    deed: 'empty' | 'returns nothing' | 'constant' | 'exception',
    definitions: readonly Definition[],
    reference: string | null,
  ): string | null
  /** What it needs and what is there. Does not throw. */
  inspect(): Promise<readonly Tool[]>
  /** Which of these dependencies cannot be had from the vendored folder or a cache, each with how. */
  missing(dependencies: readonly Dependency[], vendor: string | null): Promise<readonly string[]>
  /** Opens the tools, which start what they need when they need it. */
  open(sandbox: Sandbox): LanguageTools
}

export interface LanguageTools {
  /**
   * Does all of the work on one sample. May be called up to as many times at once as there are cores.
   * Rejects with `SandboxError` where the sandbox or a tool failed before the sample could matter, and
   * with the signal's reason when that aborts; with `TestsFault` where the source of the tests alone shows that no
   * solution could pass them; whatever the sample does is in the report.
   */
  assess(work: CodeWork): Promise<CodeReport>
  close(): Promise<void>
}
