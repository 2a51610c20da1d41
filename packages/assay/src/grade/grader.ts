/**
 * What a grader is. Each lives in a file of its own and is registered in `graders.ts`; a grader looks at
 * one answer and yields one judgement. Weight, required, negate and name are common to all and handled
 * outside of it.
 */
import type { z } from 'zod'
import type {
  Case,
  Grade,
  Json,
  Message,
  ReasonCode,
  Stop,
  Traces,
  Trajectory,
  Usage,
  WorkspaceDiff,
} from '../contract.ts'
import type { Sandbox } from '../sandbox/index.ts'

/** What is graded: the answer, what it cost, and the case it answers. */
export interface Graded {
  readonly case: Case
  readonly answer: string
  readonly files: Readonly<Record<string, string>>
  readonly usage: Usage | null
  readonly usd: number | null
  /** Null where nobody measured it. */
  readonly answerMs: number | null
  /** Where the suite was read from: what the user has vendored stands there. Null where it was not a file. */
  readonly folder: string | null
  /** What an agent did; null where nobody acted. */
  readonly trajectory: Trajectory | null
  /** What it changed in its workspace; null where there is none. */
  readonly diff: WorkspaceDiff | null
  /** The workspace as the agent left it; null where there is none. `files` are then what it changed. */
  readonly workspace: GradedWorkspace | null
}

/** A workspace at its end: the start of the case with the trial's changes. */
export interface GradedWorkspace {
  /** Paths of all files in it, in order, without the hidden ones. */
  list(): Promise<readonly string[]>
  /** A file's text; null where there is no such file, or it is no text. */
  read(path: string): Promise<string | null>
  /**
   * A fresh copy on the disk, with the hidden files laid in, for a program that is run in the sandbox:
   * what it writes there is nobody else's.
   */
  lay(): Promise<{ readonly folder: string; remove(): Promise<void> }>
}

/** What a judge said when it was asked, and what that cost. */
export interface JudgeReply {
  readonly text: string
  readonly stop: Stop
  readonly note?: string
  /** Null where the price is unknown. */
  readonly usd: number | null
}

/**
 * Asks one of the run's judges. The scheduler's own: with its limits, retries, budget and record. Rejects
 * with a `SubjectError` where there is no reply after all retries.
 */
export type AskJudge = (judge: string, messages: readonly Message[]) => Promise<JudgeReply>

export interface GraderContext {
  /** Aborted when the grade timeout has passed or the run is stopping. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** A stream of uniform numbers that belongs to this trial and grader. */
  readonly random: () => number
  /** Where untrusted code runs; null where the run has none because no case needs it. */
  readonly sandbox: Sandbox | null
  /** Absent where nobody can be asked: a suite is proven without spending anything. */
  readonly ask?: AskJudge
  /** Graders that would run with the user's rights run in a sandbox, whatever the case says. */
  readonly sandboxGraders?: boolean
}

export interface Judgement {
  /** In [0, 1]; null where the grader only decides. */
  readonly score: number | null
  /** Null for advice. */
  readonly passed: boolean | null
  /** One sentence for people: what was expected, what was found. */
  readonly reason?: string
  /** Nothing could be compared: it stays as it is where the case negates, for an unknown must not pass. */
  readonly final?: true
  readonly evidence?: string
  readonly facts?: Json
  readonly integrity?: 'values' | 'inventory'
  readonly cause?: ReasonCode
  readonly details?: readonly Grade[]
}

/** An option that its own schema could not refuse. */
export interface OptionFault {
  /** Where in the options. */
  readonly path: readonly (string | number)[]
  readonly at?: 'key'
  readonly found?: string
  readonly expected: string
  readonly nearest?: string | null
}

export type Resolved<Options> =
  | { readonly options: Options; readonly note?: string }
  | { readonly faults: readonly OptionFault[] }

/** How a grader's options are read. */
export interface OptionsReading {
  /** `check`: nothing of the folder is run. */
  readonly how?: 'run' | 'check'
  /** As the run's option of this name. */
  readonly sandboxGraders?: boolean
}

export interface Grader<Options = unknown> {
  readonly type: string
  /** One line for `assay graders`. */
  readonly summary: string
  /** Strict: an unknown option is an error. Every field has a description. */
  readonly options: z.ZodType<Options>
  /**
   * It holds `timeoutMs` itself, counted from when its work begins: an answer must not fail because
   * grading it waited behind another one. Without this the clock runs from the call.
   */
  readonly keepsDeadline?: true
  /**
   * Its verdict counts only where it is required, or where no other kind of grader gave the case one;
   * beside those it is advice.
   */
  readonly advises?: true
  /** It runs what the answer holds: a run with it in any case has a sandbox. */
  readonly needsSandbox?: true
  /** What it looks at beside the answer: a subject that cannot show it is not run on the case. */
  readonly needs?: keyof Traces
  /** It runs with the user's rights, or in a sandbox where the folder is not trusted. */
  readonly runsAsUser?: true
  /** The commands that it starts, each as its words: what the user is asked to trust. */
  starts?(options: Options): readonly (readonly string[])[]
  /**
   * Completes the options when the suite is read, from what stands in its folder, so that they hold all
   * that decides the grade; or says what is wrong with them. `check` runs nothing of the folder's: what cannot be
   * known then is said in a note, and such options are no good for grading.
   */
  resolve?(options: Options, folder: string, reading?: OptionsReading): Promise<Resolved<Options>>
  grade(graded: Graded, options: Options, context: GraderContext): Judgement | Promise<Judgement>
}

/** The answer made grading run past its deadline: the trial failed, it did not error. */
export class GraderTimeout extends Error {
  override readonly name = 'GraderTimeout'
}
