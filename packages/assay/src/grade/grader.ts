/**
 * The interface of a grader. Each grader has its own file and is registered in `graders.ts`. It looks at one
 * answer and returns one output. The settings weight, required, negate and name are the same for all graders and
 * are handled outside of them.
 */
import type { z } from 'zod'
import type {
  AgentLimits,
  Case,
  Grade,
  FunctionHost,
  GradedWorkspace,
  GraderConfig,
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

/** The input of a grader: the answer, its usage and cost, and its case. */
export interface GraderInput {
  readonly case: Case
  readonly answer: string
  /** The answer is the JSON of a value that a function returned. */
  readonly isJson?: true
  /** Which of the case's trials this is, from 0. */
  readonly index?: number
  readonly files: Readonly<Record<string, string>>
  readonly usage: Usage | null
  readonly usd: number | null
  /** Remarks about problems with the answer, such as a reported cost that is impossible and was ignored. */
  readonly remarks?: readonly string[]
  /** The time that the answer took; null if it was not measured. */
  readonly answerMs: number | null
  /** The folder of the suite, which contains vendored dependencies. Null if the suite was not read from a file. */
  readonly folder: string | null
  /** What was said before the answer, if it was asked with more than the case's own prompt. */
  readonly messages?: readonly Message[]
  /** The recorded actions of an agent. Null if the subject is not an agent. */
  readonly trajectory: Trajectory | null
  /** The changes that the agent made in its workspace. Null if there is no workspace. */
  readonly diff: WorkspaceDiff | null
  /** The workspace in its final state; null if there is none. If set, `files` contains only the changed files. */
  readonly workspace: GradedWorkspace | null
}

/** The reply of a judge and its cost. */
export interface JudgeReply {
  readonly text: string
  readonly stop: Stop
  readonly note?: string
  /** The cost of the reply; null if the price is unknown. */
  readonly usd: number | null
  /** What a judge that explores did before it replied. */
  readonly trajectory?: Trajectory
}

/** How a judge that explores may work. */
export interface Exploration {
  /** Commands explore too. Agents always do. */
  readonly isWanted: boolean
  /** The limits of one run; null for none. */
  readonly limits: AgentLimits | null
  /** The time limit of one run; null for the run's own. */
  readonly timeoutMs: number | null
}

/** Which of the requests about an answer this is. */
export interface JudgeRequest {
  /** From 0: each run of a judge is a different draw, with its own seed. */
  readonly run: number
  readonly exploration: Exploration
}

/**
 * Sends messages to one of the run's judges. The scheduler applies its limits, retries and budget and records
 * the cost. Rejects with a `SubjectError` if there is no reply after all retries.
 */
export type AskJudge = (
  judge: string,
  messages: readonly Message[],
  request: JudgeRequest,
) => Promise<JudgeReply>

export interface GraderContext {
  /** Aborted when the grade timeout has passed or the run is stopping. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Returns uniform random numbers that depend only on this trial and grader. */
  readonly random: () => number
  /** The sandbox in which untrusted code runs. Null if the run has no sandbox because no case needs one. */
  readonly sandbox: Sandbox | null
  /** The functions of the suite. Absent or null if it has none. */
  readonly functions?: FunctionHost | null
  /** Absent if no judge can be asked, for example when a suite is proved, which must cost nothing. */
  readonly ask?: AskJudge
  /** Whether graders that normally run with the user's permissions must run in a sandbox, whatever the case says. */
  readonly sandboxGraders?: boolean
  /** Runs other graders on the answer. Only combinations use it. */
  readonly gradeMembers?: (
    graded: GraderInput,
    members: readonly GraderConfig[],
  ) => Promise<readonly MemberGrade[]>
}

/** The grade of a member of a combination, and whether nothing could be compared. */
export interface MemberGrade {
  readonly grade: Grade
  readonly isFinal: boolean
}

/** Tells a run which judges a grader asks, and with which messages, so that the run can estimate the cost. */
export interface JudgesOf<Options> {
  /** Returns the judges that the options name. */
  named(options: Options): readonly string[]
  /** Returns the options with the given judges in place of the judges that they name. */
  replaced(options: Options, judges: readonly string[]): Options
  /** Returns the messages that each judge gets about an answer. */
  messages(
    graded: Pick<GraderInput, 'case' | 'answer' | 'files'>,
    options: Options,
  ): readonly Message[]
  /** Returns how often each judge is asked about an answer if every reply is valid. */
  runs(options: Options): readonly {
    readonly judge: string
    readonly planned: number
    /** The most runs, if the runs disagree. */
    readonly most: number
  }[]
  exploration(options: Options): Exploration
}

export interface Grader<Options = unknown> {
  readonly type: string
  /** A short description for the list that `assay graders` prints. */
  readonly summary: string
  /** A strict schema: an unknown option is an error. Every field has a description. */
  readonly options: z.ZodType<Options>
  /**
   * The grader applies `timeoutMs` itself, from the moment its work starts. So an answer does not fail because
   * its grading had to wait for another one. Without this flag, the time starts when the grader is called.
   */
  readonly keepsDeadline?: true
  /** It grades the text of the answer, so a transform can give it a part of that text instead. */
  readonly readsAnswer?: true
  /** Its options contain the configurations of other graders. */
  readonly combines?: true
  /** It reads files of the workspace. Its time starts when the case is set up. */
  readonly readsFiles?: true
  /**
   * The grader's verdict counts only if the grader is required, or if no other kind of grader gave a verdict.
   * Otherwise it is only advice.
   */
  readonly advises?: true
  /** The grader runs code from the answer. So a run has a sandbox if any of its cases uses this grader. */
  readonly needsSandbox?: true
  /** The grader runs the tests of the case, including the code that they load. */
  readonly runsTests?: true
  /** Set if the grader asks models to judge the answer. Its score is then the trial's implementation rate. */
  readonly judges?: JudgesOf<Options>
  /**
   * The trace that the grader needs in addition to the answer (a trajectory or a diff). A subject that does not
   * record this trace is not run on the case.
   */
  readonly needs?: keyof Traces
  /** The grader works on the files of a workspace only, so its case must have one. */
  readonly needsWorkspace?: true
  /** The grader runs with the user's permissions, or in a sandbox if the folder is not trusted. */
  readonly runsAsUser?: true
  /**
   * Returns what is wrong with using the grader in a case with a workspace, where the subject's result is in the
   * files and not in the text. Null if nothing is wrong.
   */
  workspaceFault?(options: Options): OptionFault | null
  /**
   * Returns what is wrong with the grade of a workspace in which nothing was done: a test that should fail passes, or
   * the other way round. Null if it is as it should be. Absent if the grader says nothing about the start.
   */
  startFault?(grade: Pick<Grade, 'facts' | 'reason' | 'cause'>, options: Options): string | null
  /** Returns the commands that the grader starts, each as a list of words. The user is asked to trust them. */
  starts?(options: Options): readonly (readonly string[])[]
  /**
   * Completes the options when the suite is read, with data from the suite's folder. So the options contain
   * everything that decides the grade. Returns faults if the options are wrong. With `check`, no code of the folder
   * is run. Then a note says what is still unknown, and these options cannot be used for grading.
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

/** Thrown if grading exceeded its deadline because of the answer. The trial is then failed, not errored. */
export class GraderTimeout extends Error {
  override readonly name = 'GraderTimeout'
}
