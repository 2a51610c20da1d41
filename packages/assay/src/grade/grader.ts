/**
 * What a grader is. Each lives in a file of its own and is registered in `graders.ts`; a grader looks at
 * one answer and yields one judgement. Weight, required, negate and name are common to all and handled
 * outside of it.
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

/** What is graded: the answer, what it cost, and the case it answers. */
export interface GraderInput {
  readonly case: Case
  readonly answer: string
  readonly files: Readonly<Record<string, string>>
  readonly usage: Usage | null
  readonly usd: number | null
  /** What is odd about the answer, such as a reported cost that cannot be and does not count. */
  readonly remarks?: readonly string[]
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

/** How a run knows whom a grader asks, and what that will cost. */
export interface JudgesOf<Options> {
  /** The judges that the options name. */
  named(options: Options): readonly string[]
  /** The options with these judges in place of those they name. */
  replaced(options: Options, judges: readonly string[]): Options
  /** What each of them is sent about an answer. */
  messages(
    graded: Pick<GraderInput, 'case' | 'answer' | 'files'>,
    options: Options,
  ): readonly Message[]
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
  /** It runs the tests that come with the case, and whatever they load. */
  readonly runsTests?: true
  /** It asks models what they think of the answer, and its grade is the trial's implementation rate. */
  readonly judges?: JudgesOf<Options>
  /** What it looks at beside the answer: a subject that cannot show it is not run on the case. */
  readonly needs?: keyof Traces
  /** It runs with the user's rights, or in a sandbox where the folder is not trusted. */
  readonly runsAsUser?: true
  /** What is wrong with it in a case with a workspace, where the work is in the files; null where nothing is. */
  workspaceFault?(options: Options): OptionFault | null
  /** The commands that it starts, each as its words: what the user is asked to trust. */
  starts?(options: Options): readonly (readonly string[])[]
  /**
   * Completes the options when the suite is read, from what stands in its folder, so that they hold all
   * that decides the grade; or says what is wrong with them. `check` runs nothing of the folder's: what cannot be
   * known then is said in a note, and such options are no good for grading.
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

/** The answer made grading run past its deadline: the trial failed, it did not error. */
export class GraderTimeout extends Error {
  override readonly name = 'GraderTimeout'
}
