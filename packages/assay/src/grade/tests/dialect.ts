/**
 * The interface of a dialect. A dialect makes one kind of test runner report its results, and reads the report. Each
 * dialect has its own file in `dialects` and is registered in `dialects.ts`.
 */

/** One result that a test runner reported. */
export interface Reported {
  /** The full name of the test, including the names of the groups that contain it, as the dialect writes it. */
  readonly id: string
  readonly status: 'passed' | 'failed' | 'skipped'
}

/** The paths that a reporter uses, as the test runner sees them. */
export interface ReporterPaths {
  /** A folder with the reporter's own files. */
  readonly folder: string
  /** The file to which the reporter writes results. It contains the key with which each result must begin. */
  readonly channel: string
  /** A random name, new in each trial, for modules that the test runner finds by name. */
  readonly name: string
}

/** The files, arguments and variables that make a test runner report its results. */
export interface Reporter {
  /** Files to write to the reporter's folder, by name. */
  readonly files: Readonly<Record<string, string>>
  /** Arguments to add to the test command. */
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface Dialect {
  readonly name: string
  /** The text between the parts of a test's full name. */
  readonly separator: string
  /**
   * The source files to which canaries (tests with a known result) can be added, and how these are written. Null if
   * the dialect belongs to no language.
   */
  readonly canaries: CanaryForm | null
  /** Makes the runner report on the channel. Null if the command prints the report or writes it to a file. */
  readonly reporter: ((paths: ReporterPaths) => Reporter) | null
  /**
   * Reads a report that is not on the channel: the command's output (`printed`) or a `file` that the command writes.
   */
  readonly read?: {
    readonly from: 'printed' | 'file'
    readonly parse: (text: string) => Reported[]
  }
}

/** How tests of a language are written. Copies of tests with another expected value are made from this. */
export interface CanaryForm {
  /** Matches the paths of source files. */
  readonly paths: RegExp
  /** Matches a source file that contains tests. */
  readonly tests: RegExp
  /**
   * Returns the source with a copy of a test. The copy is changed so that it must fail. Null if no assertion of the
   * test can be changed.
   */
  readonly changed: (source: string, leaf: string, name: string) => string | null
  /** Returns the source of the given tests, in this order, to append to a file. */
  readonly plain: (source: string, tests: readonly PlainTest[]) => string
}

/** A test that is added: one that must pass, one that must fail, or an expression that must be false. */
export interface PlainTest {
  readonly name: string
  readonly what: 'passes' | 'fails' | { readonly expression: string }
}

/** Returns the name of a test without the names of the groups that contain it and without its parameters. */
export const leafOf = (id: string, separator: string): string =>
  (id.split(separator).at(-1) ?? id).replace(/\[.*\]$/u, '')
