/** The types of a suite and its cases, and of how each case is graded. */
import type { FunctionHost } from './functions.ts'
import type { Json } from './json.ts'
import type { AgentLimits, WorkspacePlan } from './workspace.ts'

/**
 * One step of a transform. A transform selects the part of the answer that a grader gets instead of the whole answer.
 * A step selects either a group of a regular expression's match, or the value at a JSON Pointer.
 */
export type Transform =
  | {
      readonly pattern: string
      readonly flags: string
      readonly group: number | string
      readonly match: 'first' | 'last'
    }
  | { readonly path: string }

/** One grader in a suite: the common settings, and the grader's own options. */
export interface GraderConfig {
  readonly type: string
  /** The grade's name in records, unique within a case. Default: the type. */
  readonly name: string
  readonly weight: number
  /** If a required grade fails, the trial fails and its score is 0, whatever the other grades are. */
  readonly required: boolean
  /** Whether to invert the verdict and the score. */
  readonly negate: boolean
  /**
   * The steps that select the part of the answer that is graded, applied in order. Absent: the whole answer is
   * graded.
   */
  readonly transform?: readonly Transform[]
  /**
   * Which answer of a conversation is graded: the number of the user's turn that it answers, from 1. Absent: the last
   * answer.
   */
  readonly turn?: number
  /** The grader's own options. Its schema has already validated them. */
  readonly options: Json
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** What a code case expects, for example that the code compiles and passes its tests. */
export interface Expectations {
  readonly shouldCompile: boolean
  readonly shouldPassTests: boolean
  readonly maxWarnings: number | null
  readonly functions: readonly string[]
  readonly types: readonly string[]
  /** A shell command that suites in the eval-set format can set as a check. It is run only if the user allows it. */
  readonly customCheck: string | null
}

/** One test as data: the arguments of a call of the entry point, and what must come out. */
export interface Call {
  readonly args: readonly Json[]
  readonly returns?: Json
  /** The name of the error (TypeScript) or the exception class (Python) that must be thrown. */
  readonly throws?: string
  /** The largest allowed difference between an expected number and the returned number. */
  readonly tolerance?: number
}

export interface Dependency {
  readonly name: string
  readonly version: string | null
  readonly features: readonly string[]
}

/** A value of a case's metadata. */
export type Metadatum = string | number | boolean

/** One task and how it is graded. All defaults are already applied. */
export interface Case {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The user's messages, in order. A case with a single prompt has one turn. */
  readonly turns: readonly string[]
  /** The system message before the user's turns. */
  readonly system?: string
  /**
   * Messages before the user's turns, such as examples of questions and answers. They come from a `Prompt`, never
   * from the case in the suite.
   */
  readonly examples?: readonly Message[]
  /** The values of the variables that the suite's prompts contain, as in `{{name}}`. */
  readonly vars?: Readonly<Record<string, Json>>
  /**
   * The hash of the row of data that `vars` comes from. If it is set, the hash of the case covers the whole row, not
   * only `vars`.
   */
  readonly row?: string
  /** The input of a function, and the output that is expected from it. Absent in cases that are only asked as text. */
  readonly input?: Json
  readonly expected?: Json
  readonly language: string | null
  /** The source code of the tests, which the subject does not see. */
  readonly tests: string | null
  /** Tests as data instead of source code: calls of the entry point. */
  readonly calls: readonly Call[]
  /** The function under test, if the format names one. */
  readonly entryPoint: string | null
  /** The name by which the tests import the solution's module. Set if Assay cannot find the name in the tests. */
  readonly module: string | null
  /** True if the answer continues the prompt. Then the program is the prompt followed by the answer. */
  readonly continuation: boolean
  /** The answer of a `continuation` ends at the first of these texts. */
  readonly stop: readonly string[]
  readonly expectations: Expectations | null
  /** An answer that is known to be correct, so it must pass. Used to check the case itself. */
  readonly reference: string | null
  /** Answers that are known to be wrong, so they must fail. Used to check the case itself. */
  readonly faulty: readonly string[]
  /** Files that belong to the case, by their relative path. */
  readonly files: Readonly<Record<string, string>>
  readonly tags: readonly string[]
  /**
   * The repository, template or other origin that this case shares with similar cases. Similar cases are not
   * independent, so confidence intervals and significance tests count groups instead of cases. Absent: the case is
   * its own group.
   */
  readonly group?: string
  /** Facts about the case. Reports can break figures down by them (`--by KEY`). Nothing else depends on them. */
  readonly metadata?: Readonly<Record<string, Metadatum>>
  readonly graders: readonly GraderConfig[]
  /** The trial passes if its score is at least this. Null: the graders' verdicts decide. */
  readonly threshold: number | null
  /** The number of trials, unless the command line or a run file sets it; null if the suite does not set it. */
  readonly trials: number | null
  /** The time limit for the subject's answer. */
  readonly timeoutMs: number | null
  readonly maxTokens: number | null
  readonly dependencies: readonly Dependency[]
  /** With `off`, the code is not linted, and the lint part of its score is 1. */
  readonly lint: 'off' | null
  /** JavaScript and TypeScript: with `script`, the solution and the tests are scripts, not modules. */
  readonly format: 'script' | null
  /** Rust: the edition of the language; null means 2021. */
  readonly edition: string | null
  /** Rust: whether tests marked with `#[ignore]` are run as well. */
  readonly includeIgnored: boolean
  /** Rust: whether unsafe code is accepted. */
  readonly allowUnsafe: boolean
  /** The folder that an agent works in; null if the case needs only a text as its answer. */
  readonly workspace: WorkspacePlan | null
  /** An agent's limits, apart from time; null if there are none. */
  readonly limits: AgentLimits | null
  /** Hash of everything above that determines what is asked or how it is graded. */
  readonly hash: string
}

/** One way to ask the questions of a suite. Its texts are templates. */
export interface Prompt {
  readonly name: string
  readonly system?: string
  /** Messages before the question: examples of questions and answers. */
  readonly examples?: readonly Message[]
  /** The user's first turn. Absent: the case's own prompt. */
  readonly user?: string
}

export interface Suite {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The path that the suite was read from, as the user wrote it. */
  readonly path: string
  /** The format of the suite file, which Assay detected, such as `assay` for its own format. */
  readonly format: string
  /** The score from which trials of this suite pass; null if the suite does not set it. The skill score uses it too. */
  readonly threshold: number | null
  /** The suite's settings for all of its cases. They are already applied to each case that does not set its own. */
  readonly defaults?: {
    readonly trials?: number
    readonly timeoutMs?: number
    readonly maxTokens?: number
  }
  /** The prompts with which every subject is asked each case. Absent: each case is asked with its own prompt alone. */
  readonly prompts?: readonly Prompt[]
  /** The ids of the subjects that answer this suite. Absent: all subjects of the run. */
  readonly subjects?: readonly string[]
  /** The functions of a suite that is written as a program. They are never written to a log. */
  readonly functions?: FunctionHost
  readonly cases: readonly Case[]
  /** A hash over the hashes of all cases. */
  readonly hash: string
  /** Returns where the tests of a case are in its file; null if not known. Never written to a log. */
  readonly locateTests?: (caseId: string) => TestsLocation | null
}

/** Where the tests of a case are, or where the suite names their file. */
export interface TestsLocation extends Location {
  /** The path of the file that the tests are in, as the suite says it. Absent: they are in the suite itself. */
  readonly file?: string
}

/** A position in a file; both numbers start at 1. */
export interface Location {
  readonly line: number
  readonly column: number
}
