/**
 * The interface of a grader. Each grader has its own file and is registered in `graders.ts`. It looks at one answer
 * and returns one judgement. Weight, required, negate and name are common to all and handled outside the grader.
 */
import type { z } from 'zod'
import type {
  Case,
  GradedWorkspace,
  GraderOutput,
  Message,
  OptionFault,
  OptionsReading,
  ResolvedOptions,
  Stop,
  Traces,
  Trajectory,
  Usage,
  WorkspaceDiff,
} from '@assay/contract'

export type { GradedWorkspace, GraderOutput, OptionFault } from '@assay/contract'
import type { Sandbox } from '@assay/sandbox'

/** The input of a grader: the answer, what it cost, and its case. */
export interface GraderInput {
  readonly case: Case
  readonly answer: string
  readonly files: Readonly<Record<string, string>>
  readonly usage: Usage | null
  readonly usd: number | null
  /** Remarks about anything odd in the answer, such as a reported cost that is impossible and does not count. */
  readonly remarks?: readonly string[]
  /** Null if it was not measured. */
  readonly answerMs: number | null
  /** The folder of the suite, which contains vendored dependencies. Null if the suite was not read from a file. */
  readonly folder: string | null
  /** What an agent did. Null if the subject is not an agent. */
  readonly trajectory: Trajectory | null
  /** What the agent changed in its workspace. Null if there is no workspace. */
  readonly diff: WorkspaceDiff | null
  /** The workspace as the agent left it. Null if there is none. If set, `files` are the changed files. */
  readonly workspace: GradedWorkspace | null
}

/** The reply of a judge, and what it cost. */
export interface JudgeReply {
  readonly text: string
  readonly stop: Stop
  readonly note?: string
  /** Null if the price is unknown. */
  readonly usd: number | null
}

/**
 * Asks one of the run's judges through the scheduler, with its limits, retries, budget and record. Rejects with a
 * `SubjectError` if there is no reply after all retries.
 */
export type AskJudge = (judge: string, messages: readonly Message[]) => Promise<JudgeReply>

export interface GraderContext {
  /** Aborted when the grade timeout has passed or the run is stopping. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Returns uniform random numbers that depend only on this trial and grader. */
  readonly random: () => number
  /** Where untrusted code runs. Null if the run has no sandbox because no case needs one. */
  readonly sandbox: Sandbox | null
  /** Absent if no judge can be asked: proving a suite must cost nothing. */
  readonly ask?: AskJudge
  /** Graders that normally run with the user's rights run in a sandbox, whatever the case says. */
  readonly sandboxGraders?: boolean
}

/** Tells a run which judges a grader asks, and what that will cost. */
export interface JudgesOf<Options> {
  /** Returns the judges that the options name. */
  named(options: Options): readonly string[]
  /** Returns the options with these judges instead of the ones named. */
  replaced(options: Options, judges: readonly string[]): Options
  /** Returns the messages that each judge gets about an answer. */
  messages(
    graded: Pick<GraderInput, 'case' | 'answer' | 'files'>,
    options: Options,
  ): readonly Message[]
}

export interface Grader<Options = unknown> {
  readonly type: string
  /** One line for `assay graders`. */
  readonly summary: string
  /** A strict schema: an unknown option is an error. Every field has a description. */
  readonly options: z.ZodType<Options>
  /**
   * The grader applies `timeoutMs` itself, from the moment its work starts: an answer must not fail because its
   * grading waited for another one. Without this, the time starts with the call.
   */
  readonly keepsDeadline?: true
  /**
   * Its verdict counts only if it is required, or if no other kind of grader gave a verdict. Otherwise it is advice.
   */
  readonly advises?: true
  /** It runs code from the answer: a run that uses it in any case has a sandbox. */
  readonly needsSandbox?: true
  /** It runs the tests of the case, including the code that they load. */
  readonly runsTests?: true
  /** It asks models to judge the answer. Its grade is the trial's implementation rate. */
  readonly judges?: JudgesOf<Options>
  /** What it needs in addition to the answer. A subject that does not record this is not run on the case. */
  readonly needs?: keyof Traces
  /** It runs with the user's rights, or in a sandbox if the folder is not trusted. */
  readonly runsAsUser?: true
  /**
   * Returns what is wrong with the grader in a case with a workspace, where the result is in the files. Null if
   * nothing is.
   */
  workspaceFault?(options: Options): OptionFault | null
  /** Returns the commands that it starts, each as a list of words. The user is asked to trust them. */
  starts?(options: Options): readonly (readonly string[])[]
  /**
   * Completes the options from the suite's folder when the suite is read, so that they contain everything that
   * decides the grade. Returns faults if they are wrong. With `check` it runs no code of the folder: a note says what
   * is then unknown, and such options cannot be used for grading.
   */
  resolve?(
    options: Options,
    folder: string,
    reading?: OptionsReading,
  ): Promise<ResolvedOptions<Options>>
  grade(
    graded: GraderInput,
    options: Options,
    context: GraderContext,
  ): GraderOutput | Promise<GraderOutput>
}

/** Grading exceeded its deadline because of the answer: the trial failed and is not errored. */
export class GraderTimeout extends Error {
  override readonly name = 'GraderTimeout'
}
