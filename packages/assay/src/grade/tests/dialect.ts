/**
 * The interface of a dialect: how one kind of test runner is made to report its results, and how its report is read.
 * Each dialect has its own file in `dialects` and is registered in `dialects.ts`.
 */

/** One result that a test runner reported. */
export interface Reported {
  /** The full name of the test, with the names around it, as the dialect writes it. */
  readonly id: string
  readonly status: 'passed' | 'failed' | 'skipped'
}

/** The paths that a reporter uses, as the test runner sees them. */
export interface ReporterPaths {
  /** A folder with the reporter's own files. */
  readonly folder: string
  /** The file on which results arrive. It contains the key that each result must begin with. */
  readonly channel: string
  /** A name that was made for this trial, for modules that are found by name. */
  readonly name: string
}

/** What makes a test runner report. */
export interface Reporter {
  /** Files to write to the reporter's folder, by name. */
  readonly files: Readonly<Record<string, string>>
  /** Words to add to the command. */
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface Dialect {
  readonly name: string
  /** The text between the parts of a test's full name. */
  readonly separator: string
  /** Which source files can hold canaries, and in which form; null if the dialect belongs to no language. */
  readonly canaries: CanaryForm | null
  /** How the runner is made to report on the channel; null if the report is what the command prints, or a file. */
  readonly reporter: ((paths: ReporterPaths) => Reporter) | null
  /** Reads a report that is not on the channel: `printed` by the command, or a `file` that it writes. */
  readonly read?: {
    readonly from: 'printed' | 'file'
    readonly parse: (text: string) => Reported[]
  }
}

/** How tests of a language look, for copies of them with another expected value. */
export interface CanaryForm {
  /** Matches the paths of source files. */
  readonly paths: RegExp
  /** Matches a source file that contains tests. */
  readonly tests: RegExp
  /** Returns the source with a copy of a test that must fail; null if no assertion of the test can be changed. */
  readonly changed: (source: string, leaf: string, name: string) => string | null
  /** Returns the source of tests at the end of a file, in this order. */
  readonly plain: (source: string, tests: readonly PlainTest[]) => string
}

/** A test that is added: one that must pass, one that must fail, or an expression that must be false. */
export interface PlainTest {
  readonly name: string
  readonly what: 'passes' | 'fails' | { readonly expression: string }
}

/** Returns the name of a test without the names around it, and without its parameters. */
export const leafOf = (id: string, separator: string): string =>
  (id.split(separator).at(-1) ?? id).replace(/\[.*\]$/u, '')
