/** What is asked: a suite, its cases, and how each is graded. */
import type { Json } from './json.ts'
import type { AgentLimits, WorkspacePlan } from './workspace.ts'

/** One grader as a suite configures it: the common settings, and the grader's own options. */
export interface GraderConfig {
  readonly type: string
  /** What the grade is called in records; the type unless given, unique within a case. */
  readonly name: string
  readonly weight: number
  /** A required grade that fails makes the trial's score 0 and its verdict failed. */
  readonly required: boolean
  /** The verdict and the score turned round. */
  readonly negate: boolean
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
  /** A shell command of the eval-set format; acted on only where the user allows it. */
  readonly customCheck: string | null
}

/** One check of the data form: call the entry point, look at what comes back. */
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

/** One thing to do, with how it is graded. Everything is resolved: defaults are already applied. */
export interface Case {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The user's turns, in order; a single prompt is one turn. */
  readonly turns: readonly string[]
  readonly language: string | null
  /** Hidden test source. */
  readonly tests: string | null
  /** Tests as data, instead of a source: calls of the entry point. */
  readonly calls: readonly Call[]
  /** The function under test, where the format names one. */
  readonly entryPoint: string | null
  /** What the tests call the solution's module, where that cannot be told from them. */
  readonly module: string | null
  /** The answer is a continuation of the prompt: the program is prompt + answer. */
  readonly continuation: boolean
  /** Where a continuation ends. */
  readonly stop: readonly string[]
  readonly expectations: Expectations | null
  /** An answer that must pass. */
  readonly reference: string | null
  /** Answers that must fail. */
  readonly faulty: readonly string[]
  /** Files the case brings, by path. */
  readonly files: Readonly<Record<string, string>>
  readonly tags: readonly string[]
  readonly graders: readonly GraderConfig[]
  /** The trial's verdict by score; null: by the graders' verdicts. */
  readonly threshold: number | null
  /** Unless the command line or a run file says otherwise; null where the suite does not say. */
  readonly trials: number | null
  /** For the subject's answer. */
  readonly timeoutMs: number | null
  readonly maxTokens: number | null
  readonly dependencies: readonly Dependency[]
  /** `off`: the code is not linted and that part of its score is 1. */
  readonly lint: 'off' | null
  /** JavaScript and TypeScript: solution and tests are scripts, not modules. */
  readonly format: 'script' | null
  /** Rust: the edition of the language; null for 2021. */
  readonly edition: string | null
  /** Rust: unsafe code is not refused. */
  readonly allowUnsafe: boolean
  /** The folder that an agent works in; null where the case is answered with words alone. */
  readonly workspace: WorkspacePlan | null
  /** What an agent may use beside its time; null where nothing else is limited. */
  readonly limits: AgentLimits | null
  /** Hash of everything above that determines what is asked or how it is graded. */
  readonly hash: string
}

export interface Suite {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Where it was read from, as the user named it. */
  readonly path: string
  /** The format it was recognised as. */
  readonly format: string
  /** The suite's threshold, which also decides the skill score. */
  readonly threshold: number | null
  /** What it says for all of its cases; each case has it already, where it does not say otherwise. */
  readonly defaults?: {
    readonly trials?: number
    readonly timeoutMs?: number
    readonly maxTokens?: number
  }
  readonly cases: readonly Case[]
  /** Hash over the cases' hashes. */
  readonly hash: string
  /** Where the tests of a case are in its file; no part of any record. */
  readonly locateTests?: (caseId: string) => Location | null
}

/** A place in a file, counted from 1. */
export interface Location {
  readonly line: number
  readonly column: number
}
