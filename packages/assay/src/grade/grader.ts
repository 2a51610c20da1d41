/**
 * The interface of a grader. Each grader has its own file and is registered in `graders.ts`. A grader looks at one
 * answer and returns one output. The settings weight, required, negate and name are the same for all graders, so
 * `grade.ts` applies them and graders do not.
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
  /** Set if the subject is a function of the suite. The answer is then the JSON of the value that it returned. */
  readonly isJson?: true
  /** The index of this trial among the trials of its case, from 0. */
  readonly index?: number
  readonly files: Readonly<Record<string, string>>
  readonly usage: Usage | null
  readonly usd: number | null
  /** Remarks about problems with the answer, such as a reported cost that is impossible and was ignored. */
  readonly remarks?: readonly string[]
  /** The time that the answer took; null if it was not measured. */
  readonly answerMs: number | null
  /**
   * The suite's folder. It contains the dependencies that the suite ships. Null if the suite was not read from a
   * file.
   */
  readonly folder: string | null
  /** The messages before the answer. Absent if only the case's own prompt was sent. */
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
  /** The actions of a judge that explored the files before it replied. */
  readonly trajectory?: Trajectory
}

/** What a judge may do if it explores, that is, looks at the graded files before it replies. */
export interface Exploration {
  /** Whether a judge that is a command explores. A judge that is an agent always does. */
  readonly isWanted: boolean
  /** The limits of one request to the judge; null for none. */
  readonly limits: AgentLimits | null
  /** The time limit of one request to the judge; null to use the run's time limit. */
  readonly timeoutMs: number | null
}

/** Describes one of the requests that are sent about an answer. */
export interface JudgeRequest {
  /** The number of this run of the judge, from 0. Each run has its own seed, so that the runs are independent. */
  readonly run: number
  readonly exploration: Exploration
}

/**
 * Sends messages to one of the run's judges. The scheduler applies the limits, retries and budget, and records the
 * cost. Rejects with a `SubjectError` if there is no reply after all retries.
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
  /** Absent if no judge can be asked. For example, proving a suite (`assay validate`) must cost nothing. */
  readonly ask?: AskJudge
  /**
   * Whether graders that normally run with the user's permissions must run in a sandbox, even if the suite does not
   * ask for one.
   */
  readonly sandboxGraders?: boolean
  /** Runs other graders on the answer. Only combinations use it. */
  readonly gradeMembers?: (
    graded: GraderInput,
    members: readonly GraderConfig[],
  ) => Promise<readonly MemberGrade[]>
}

/**
 * The grade of a member of a combination. `isFinal` says that the member could not compare anything, so that
 * `negate` must not invert its failure.
 */
export interface MemberGrade {
  readonly grade: Grade
  readonly isFinal: boolean
}

/** Says which judges a grader asks and with which messages. A run uses this to estimate its cost. */
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
    /** The highest number of runs, which is reached if the runs disagree. */
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
   * The grader applies `timeoutMs` itself, from the moment its work starts. So an answer does not fail because its
   * grading had to wait for another one. Without this flag, the time starts when the grader is called.
   */
  readonly keepsDeadline?: true
  /** The grader grades the answer's text. So a transform can replace the answer with a part of it. */
  readonly readsAnswer?: true
  /** The grader's options contain the configurations of other graders. */
  readonly combines?: true
  /** The grader reads files of the workspace. Its time limit starts when the workspace is ready. */
  readonly readsFiles?: true
  /**
   * The grader's verdict counts only if the grader is required, or if no other kind of grader gave a verdict.
   * Otherwise the verdict is only advice.
   */
  readonly advises?: true
  /** The grader runs code from the answer. So a run has a sandbox if any of its cases uses this grader. */
  readonly needsSandbox?: true
  /** The grader runs the tests of the case and the code that they load. */
  readonly runsTests?: true
  /**
   * Set if the grader asks models to judge the answer. The grader's score is then also the trial's implementation
   * rate (`implRate`).
   */
  readonly judges?: JudgesOf<Options>
  /**
   * The trace that the grader needs in addition to the answer (a trajectory or a diff). A subject that does not
   * record this trace is not run on the case.
   */
  readonly needs?: keyof Traces
  /** The grader works only on the files of a workspace. So its case must have a workspace. */
  readonly needsWorkspace?: true
  /**
   * The grader runs a program of the suite with the user's permissions, or in a sandbox if the folder is not
   * trusted.
   */
  readonly runsAsUser?: true
  /**
   * Returns what is wrong with using the grader in a case with a workspace. There, the subject's result is in the
   * files and not in the text. Null if nothing is wrong.
   */
  workspaceFault?(options: Options): OptionFault | null
  /**
   * Checks the grade of a workspace in which nothing was done yet. Returns what is wrong with it: a test that should
   * fail passes, or a test that should pass fails. Null if nothing is wrong. Absent if the grader has no expectation
   * about an unchanged workspace.
   */
  startFault?(grade: Pick<Grade, 'facts' | 'reason' | 'cause'>, options: Options): string | null
  /** Returns the commands that the grader starts, each as a list of words. The user is asked whether to trust them. */
  starts?(options: Options): readonly (readonly string[])[]
  /**
   * Completes the options when the suite is read, with data from the suite's folder. Afterwards the options contain
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
