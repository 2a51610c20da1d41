/**
 * The contracts: what is written to disk and what the rooms hand each other. Data only, no behaviour.
 * The shapes of `Trial`, `Grade`, `Text` and `Usage` are the log's format: they change only with a new
 * version number in the log's first line and a reader for the old one.
 */

import type { Trajectory, WorkspaceDiff } from './trajectory.ts'

export {
  WorkspaceTooLarge,
  type FileChange,
  type FileMode,
  type Step,
  type Trajectory,
  type WorkspaceDiff,
} from './trajectory.ts'

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }

// ── What is asked ────────────────────────────────────────────────────────────────────────────────────

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
  /** Rust: unsafe code is not refused. */
  readonly allowUnsafe: boolean
  /** The folder that an agent works in; null where the case is answered with words alone. */
  readonly workspace: WorkspacePlan | null
  /** What an agent may use beside its time; null where nothing else is limited. */
  readonly limits: AgentLimits | null
  /** Hash of everything above that determines what is asked or how it is graded. */
  readonly hash: string
}

/**
 * What an agent's folder holds when it starts: a git checkout, then a folder, then the case's own `files`,
 * then what the setup commands make of it.
 */
export interface WorkspacePlan {
  readonly git: GitSource | null
  /** A folder beside the suite that is copied in: its absolute path, and a hash of all that is in it. */
  readonly folder: { readonly path: string; readonly sha256: string } | null
  /** Shell commands, run once per case, in order, in the folder. */
  readonly setup: readonly string[]
  readonly setupTimeoutMs: number
  /** Patterns of paths that are no part of the result: neither in the diff nor laid in for grading. */
  readonly ignore: readonly string[]
  /** Patterns of paths that the agent must leave as they are: a change to one fails the trial as tampered. */
  readonly protect: readonly string[]
  /** Files that are laid in for grading, after the agent has stopped; over whatever stands there. */
  readonly hidden: Readonly<Record<string, string>>
}

export interface GitSource {
  /** Absolute path of a repository or a bundle. */
  readonly path: string
  /** The full hash of the commit. */
  readonly commit: string
  /** How many commits of history the agent sees. */
  readonly depth: number
}

/** Null: not limited. Exceeding one fails the trial with that reason. */
export interface AgentLimits {
  /** Requests to the model that were answered. */
  readonly turns: number | null
  readonly toolCalls: number | null
  /** All classes together. */
  readonly tokens: number | null
  readonly usd: number | null
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

// ── Who answers ──────────────────────────────────────────────────────────────────────────────────────

/** Token classes, normalised: cached input is in neither `input` nor counted twice; reasoning is a part of output. */
export interface Usage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
}

/** One request to answer one trial. */
export interface Ask {
  readonly suite: string
  readonly case: Case
  readonly index: number
  readonly messages: readonly Message[]
  readonly maxTokens: number | null
  readonly timeoutMs: number
  /** A stream of uniform numbers that belongs to this trial alone, whatever runs beside it. */
  readonly random: () => number
  readonly signal: AbortSignal
  /**
   * A fresh folder to work in, for subjects that act: there where the case has a workspace or the subject
   * is an agent. Whoever opens one closes it.
   */
  readonly openWorkspace?: () => Promise<TrialWorkspace>
}

/**
 * The folder of one trial, with a home of its own. Paths are those that programs in it see, which are not
 * those of this machine where the sandbox can move them.
 */
export interface TrialWorkspace {
  readonly folder: string
  readonly home: string
  /**
   * Lays something in before the agent starts: a text, or a file or folder of this machine (absolute). In
   * the folder it counts as part of the start, not of what the agent did.
   */
  lay(
    where: 'folder' | 'home',
    path: string,
    what: { readonly text: string } | { readonly from: string },
  ): Promise<void>
  /** Runs a program in the folder to its end, with everything that it starts. */
  run(program: WorkspaceProgram): Promise<WorkspaceEnd>
  /** What is different from the start. Throws `WorkspaceTooLarge` where that is more than is kept. */
  diff(): Promise<WorkspaceDiff>
  /** Removes it, unless the user keeps workspaces. */
  close(): Promise<void>
}

export interface WorkspaceProgram {
  /** The program as an absolute path of this machine, and its arguments. */
  readonly argv: readonly [string, ...string[]]
  /** All of its environment, HOME and the like excepted, which the workspace sets. */
  readonly env: Readonly<Record<string, string>>
  /** Files and folders of this machine that it needs to read, beside the system's. Absolute. */
  readonly reads: readonly string[]
  readonly input: string
  readonly timeoutMs: number
  /** Most bytes on stdout. */
  readonly mostBytes: number
  readonly signal: AbortSignal
  /** Called with what it prints as it comes. Returning `stop` ends the program. */
  readonly onOutput: (chunk: Buffer) => 'go on' | 'stop'
}

export interface WorkspaceEnd {
  /** `stopped`: by `onOutput`. */
  readonly how: 'ended' | 'timeout' | 'too-much' | 'stopped'
  /** Null where a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The end of it. */
  readonly stderr: string
}

/** Why a subject stopped. All but `end` make the trial failed; the reason says which. */
export type Stop = 'end' | 'length' | 'filter' | 'refusal' | 'exit' | 'timeout' | 'limit'

export interface Answer {
  readonly text: string
  readonly files?: Readonly<Record<string, string>>
  readonly stop: Stop
  /** For people: the exit code and the end of stderr, the filter's category. */
  readonly note?: string
  /** Null where the subject did not say. */
  readonly usage: Usage | null
  /** What producing the answer cost; null where the price is unknown. */
  readonly usd: number | null
  /**
   * What this run paid for it: nothing for a replayed answer; at least this much where `usd` is unknown.
   * Defaults to `usd`.
   */
  readonly spentUsd?: number
  /** Overrides the measured time: a replayed or simulated answer brings its own. */
  readonly ms?: number
  /** What an agent did, step by step. */
  readonly trajectory?: Trajectory
  /** The agent's event stream as it came. */
  readonly stream?: string
  /** What it left in its workspace. */
  readonly diff?: WorkspaceDiff
  /** What a reader of the trial must know beside the answer: amounts that do not count. */
  readonly remarks?: readonly string[]
}

export interface Subject {
  /** Unique within a run; what records and tables show. */
  readonly id: string
  readonly kind: 'model' | 'command' | 'agent' | 'replay' | 'simulated'
  readonly source: Source
  /** Subjects that share a provider's limits share a pool. */
  readonly pool: string
  /** Requests at once in the pool: where the adaptive limit starts and where it ends. */
  readonly concurrency: { readonly start: number; readonly most: number }
  /** Everything that determines its answers, for the record and for its hash. Never a secret. */
  readonly config: Json
  /** Strings that must never be written anywhere: the key it was given. */
  readonly secrets: readonly string[]
  /**
   * It goes through all of the user's turns itself, in one answer. Who works in a workspace does so anyway;
   * all others are asked turn by turn.
   */
  readonly takesAllTurns?: true
  /** What it can show of its work on a case of a suite; not known beforehand where this is absent. */
  traces?(one: Case, suite: string): Traces
  /** An upper guess at one answer's cost, reserved by the budget while it is in flight; null if unknown. */
  estimateUsd(ask: Case): number | null
  /** Throws `SubjectError` where there is no answer. */
  answer(ask: Ask): Promise<Answer>
  close(): Promise<void>
}

/** What a subject can show beside its answer, for graders that need it. */
export interface Traces {
  /** What it did, step by step. */
  readonly trajectory: boolean
  /** What it changed in a workspace. */
  readonly diff: boolean
}

/** There is no answer, and whether asking again may help. */
export class SubjectError extends Error {
  override readonly name = 'SubjectError'
  readonly reason: ReasonCode
  readonly retry: boolean
  readonly status: number | null
  readonly retryAfterMs: number | null
  /** Spend and usage of the failed request, where the provider reported them. */
  readonly usage: Usage | null
  readonly usd: number | null
  /** What is known of the spend, where all of it is not. */
  readonly spentUsd: number

  constructor(
    message: string,
    facts: {
      reason: ReasonCode
      retry: boolean
      status?: number | null
      retryAfterMs?: number | null
      usage?: Usage | null
      usd?: number | null
      spentUsd?: number
      cause?: unknown
    },
  ) {
    super(message, { cause: facts.cause })
    this.reason = facts.reason
    this.retry = facts.retry
    this.status = facts.status ?? null
    this.retryAfterMs = facts.retryAfterMs ?? null
    this.usage = facts.usage ?? null
    this.usd = facts.usd ?? null
    this.spentUsd = this.usd ?? facts.spentUsd ?? 0
  }
}

// ── What is recorded ─────────────────────────────────────────────────────────────────────────────────

export type Outcome = 'passed' | 'failed' | 'unscored' | 'errored'

export type Source = 'live' | 'cache' | 'replay' | 'simulated'

/** Why a trial ended as it did. One closed list, so that reports can count by it. */
export const REASONS = {
  // failed
  'wrong-answer': 'a grader with a verdict did not pass, or the score is below the threshold',
  'empty-answer': 'the answer has no text',
  'no-code': 'the answer has no code',
  'not-compiled': 'the code does not compile',
  'tests-failed': 'the code does not pass its tests',
  'code-timeout': 'the code did not end in time',
  'code-memory': 'the code needed more memory than it may',
  'code-crashed': 'the code crashed, or ended its own process',
  truncated: 'the answer was cut off at its token limit',
  refused: 'the model refused to answer',
  filtered: 'the provider’s content filter stopped the answer',
  'exit-code': 'the command or agent ended with an error',
  'answer-timeout': 'the command or agent did not end in time',
  'over-limit': 'the agent went over one of its limits',
  tampered: 'the agent changed files that it had to leave alone',
  'grader-timeout': 'grading this answer did not end in time',
  // errored
  'rate-limited': 'the provider kept refusing for its rate limit',
  'provider-error': 'the provider failed, or answered with an error',
  'provider-timeout': 'the provider did not answer in time',
  'bad-reply': 'the provider’s reply could not be read',
  'request-refused': 'the provider refused the request itself: key, model name or parameters',
  'no-answer': 'the recording has no answer for this trial',
  'not-started': 'the command or agent could not be started',
  'workspace-failed': 'the workspace could not be set up',
  'grader-error': 'a grader failed on its own account',
  'judge-failed': 'a judge gave no valid verdict, or no reply at all',
  'sandbox-failed': 'the sandbox or a toolchain failed before the code could matter',
} as const

export type ReasonCode = keyof typeof REASONS

export interface Reason {
  readonly code: ReasonCode
  readonly text: string
}

/** Inline up to 4 KiB, beyond that a blob by its hash. */
export type Text = string | { readonly blob: string; readonly bytes: number }

export interface Grade {
  readonly name: string
  readonly type: string
  readonly score: number | null
  readonly passed: boolean | null
  readonly weight: number
  readonly required?: true
  readonly reason?: string
  readonly evidence?: Text
  readonly facts?: Json
  /** How far the sample was kept from deciding its own verdict. */
  readonly integrity?: 'values' | 'inventory'
  /** Why the trial failed, where the grader knows more than that the answer is wrong. */
  readonly cause?: ReasonCode
  readonly details?: readonly Grade[]
}

/** One request to a provider, kept when a trial needed more than one. */
export interface Attempt {
  readonly status: number | null
  /** Absent for the attempt that brought the answer. */
  readonly error?: string
  readonly usd: number | null
  /** How long the request took, and how long it was waited before the next one. */
  readonly ms: number
  readonly waitMs: number
}

/** (suite, case, subject, index) is a trial's identity everywhere. */
export interface Identity {
  readonly suite: string
  readonly case: string
  readonly subject: string
  readonly index: number
}

export interface Trial extends Identity {
  readonly caseHash: string
  readonly outcome: Outcome
  readonly reason?: Reason
  readonly score: number | null
  readonly implRate: number | null
  readonly grades: readonly Grade[]
  readonly answer: Text | null
  readonly files?: Readonly<Record<string, Text>>
  /** A `Trajectory` as JSON. */
  readonly trajectory?: Text
  /** The agent's event stream as it came. */
  readonly stream?: Text
  /** A `WorkspaceDiff` as JSON. */
  readonly diff?: Text
  readonly usage: Usage | null
  readonly cost: {
    /** What producing the answer cost when it was made, over all attempts. */
    readonly answerUsd: number | null
    readonly judgeUsd: number | null
    /** What this run paid. */
    readonly spentUsd: number
  }
  readonly time: {
    readonly startedAt: string
    readonly answerMs: number
    readonly waitMs: number
    readonly gradeMs: number
  }
  readonly attempts?: readonly Attempt[]
  readonly source: Source
  readonly sandbox?: string
  /** What a reader must know beside the outcome: amounts that do not count, an answer that was asked again. */
  readonly remarks?: readonly string[]
  /** Parts in which a secret is masked here and was not when they were graded. */
  readonly masked?: readonly ('answer' | 'files' | 'trajectory' | 'diff')[]
}
