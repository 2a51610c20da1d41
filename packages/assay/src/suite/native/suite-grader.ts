/**
 * The interface of a grader for the readers of suites: the schema of its options, and functions that check them. The
 * caller passes the list of graders, so this folder does not import them.
 */
import type { z } from 'zod'
import type { OptionFault, OptionsReading, ResolvedOptions } from '@assay/contract'

export interface SuiteGrader {
  readonly type: string
  /** A description for the user, in one line. */
  readonly summary: string
  /** A strict schema: an unknown option is an error. */
  readonly options: z.ZodType
  /** False for a grader that never decides whether a trial passes. */
  readonly verdict?: boolean
  /** Set if the grader grades the text of the answer, so that a transform makes sense. */
  readonly readsAnswer?: true
  /** Set if the grader's option `graders` is a list of other graders. */
  readonly combines?: true
  /** Set if the figures read the grader's grades, so that it cannot be a member of a combination. */
  readonly runsTests?: true
  readonly judges?: unknown
  /** Set if the grader runs with the user's rights, or in a sandbox if the folder is not trusted. */
  readonly runsAsUser?: true
  /** Set if the case of the grader must have a workspace. */
  readonly needsWorkspace?: true
  /** Returns why the grader cannot work in a case with a workspace, or null if it can. */
  workspaceFault?(options: unknown): OptionFault | null
  /** Completes the options with data from the suite's folder, or returns the problems with them. */
  resolve?(
    options: unknown,
    folder: string,
    reading?: OptionsReading,
  ): Promise<ResolvedOptions<unknown>>
}
