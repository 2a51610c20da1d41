/** A suite, its cases, and how each case is graded. */
import type { FunctionHost } from './functions.ts'
import type { Json } from './json.ts'
import type { AgentLimits, WorkspacePlan } from './workspace.ts'

/**
 * One step of a transform: the part of the answer that a grader gets instead of the whole. Either a group of a match
 * of a regular expression, or the value at a JSON Pointer.
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
  /** If a required grade fails, the trial's score is 0 and its verdict is failed. */
  readonly required: boolean
  /** Invert the verdict and the score. */
  readonly negate: boolean
  /** The steps that select the part of the answer that is graded. Absent: the whole answer is graded. */
  readonly transform?: readonly Transform[]
  /** Which of the answers is graded, by the user's turn that it answers, from 1. Absent: the last one. */
  readonly turn?: number
  /** Already validated by the grader's own schema. */
  readonly options: Json
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** What a code case expects beyond its tests. */
export interface Expectations {
  readonly shouldCompile: boolean
  readonly shouldPassTests: boolean
  readonly maxWarnings: number | null
  readonly functions: readonly string[]
  readonly types: readonly string[]
  /** A shell command of the eval-set format. It is run only if the user allows it. */
  readonly customCheck: string | null
}

/** One test as data: call the entry point and check the result. */
export interface Call {
  readonly args: readonly Json[]
  readonly returns?: Json
  /** The name of the error (TypeScript) or the exception class (Python) that must be thrown. */
  readonly throws?: string
  /** Numbers may differ by this much. */
  readonly tolerance?: number
}

export interface Dependency {
  readonly name: string
  readonly version: string | null
  readonly features: readonly string[]
}

/** A value of a case's metadata. */
export type Metadatum = string | number | boolean

/** One task, with its grading. All defaults are already applied. */
export interface Case {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The user's turns, in order; a single prompt is one turn. */
  readonly turns: readonly string[]
  /** The system message before the user's turns. */
  readonly system?: string
  /** Messages before the user's turns, such as examples of questions and answers. A prompt sets them, never a suite. */
  readonly examples?: readonly Message[]
  /** The values of the variables in the suite's prompts. */
  readonly vars?: Readonly<Record<string, Json>>
  /** The hash of the row that `vars` comes from. The hash of the case then covers the whole row, not only `vars`. */
  readonly row?: string
  /** The input of a function, and the output that is expected from it. Absent in cases that are only asked as text. */
  readonly input?: Json
  readonly expected?: Json
  readonly language: string | null
  /** Hidden test source. */
  readonly tests: string | null
  /** Tests as data instead of source code: calls of the entry point. */
  readonly calls: readonly Call[]
  /** The function under test, if the format names one. */
  readonly entryPoint: string | null
  /** The name by which the tests import the solution's module, if it cannot be found from the tests. */
  readonly module: string | null
  /** The answer continues the prompt: the program is prompt + answer. */
  readonly continuation: boolean
  /** Texts at which a continuation ends. */
  readonly stop: readonly string[]
  readonly expectations: Expectations | null
  /** An answer that must pass. */
  readonly reference: string | null
  /** Answers that must fail. */
  readonly faulty: readonly string[]
  /** Files that belong to the case, by path. */
  readonly files: Readonly<Record<string, string>>
  readonly tags: readonly string[]
  /**
   * The repository, template or other origin that the case shares with similar ones. Intervals and tests for cases like
   * these count groups instead of cases. Absent: the case is its own group.
   */
  readonly group?: string
  /** Facts about the case by which figures can be broken down (`--by KEY`). They change nothing else. */
  readonly metadata?: Readonly<Record<string, Metadatum>>
  readonly graders: readonly GraderConfig[]
  /** The score from which the trial passes; null: the graders' verdicts decide. */
  readonly threshold: number | null
  /** The number of trials, unless the command line or a run file sets it; null if the suite does not set it. */
  readonly trials: number | null
  /** The time limit for the subject's answer. */
  readonly timeoutMs: number | null
  readonly maxTokens: number | null
  readonly dependencies: readonly Dependency[]
  /** `off`: the code is not linted, and the lint part of its score is 1. */
  readonly lint: 'off' | null
  /** JavaScript and TypeScript: solution and tests are scripts, not modules. */
  readonly format: 'script' | null
  /** Rust: the edition of the language; null for 2021. */
  readonly edition: string | null
  /** Rust: tests with `#[ignore]` are run as well. */
  readonly includeIgnored: boolean
  /** Rust: unsafe code is not refused. */
  readonly allowUnsafe: boolean
  /** The folder that an agent works in; null if the case needs only a text as its answer. */
  readonly workspace: WorkspacePlan | null
  /** An agent's limits, apart from time; null if there are none. */
  readonly limits: AgentLimits | null
  /** Hash of everything above that determines what is asked or how it is graded. */
  readonly hash: string
}

/** One way to ask the cases of a suite. Its texts are templates. */
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
  /** The detected format. */
  readonly format: string
  /** The suite's threshold. The skill score uses it too. */
  readonly threshold: number | null
  /** The suite's settings for all of its cases. They are already applied to each case that does not set its own. */
  readonly defaults?: {
    readonly trials?: number
    readonly timeoutMs?: number
    readonly maxTokens?: number
  }
  /** The ways in which every subject is asked. Absent: each case is asked with its own prompt alone. */
  readonly prompts?: readonly Prompt[]
  /** The ids of the subjects that answer this suite. Absent: all subjects of the run. */
  readonly subjects?: readonly string[]
  /** The functions of a suite that is a program. Not part of any record. */
  readonly functions?: FunctionHost
  readonly cases: readonly Case[]
  /** Hash over the cases' hashes. */
  readonly hash: string
  /** Returns where the tests of a case are in its file; null if not known. Not part of any record. */
  readonly locateTests?: (caseId: string) => TestsLocation | null
}

/** Where the suite names or holds the tests of a case. */
export interface TestsLocation extends Location {
  /** The path of the file that the tests are in, as the suite says it. Absent: they are in the suite itself. */
  readonly file?: string
}

/** A position in a file; both numbers start at 1. */
export interface Location {
  readonly line: number
  readonly column: number
}
