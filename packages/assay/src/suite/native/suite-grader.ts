/**
 * The part of a grader that suite readers need: the schema of its options, and functions that check them. The caller
 * passes the list of graders, so this folder does not import them.
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
  /** Set if the grader grades the text of the answer. Only such a grader can have a transform. */
  readonly readsAnswer?: true
  /** Set if the grader's option `graders` is a list of other graders. */
  readonly combines?: true
  /** Set if reports compute figures from this grader's grades. Such a grader cannot be a member of a combination. */
  readonly runsTests?: true
  readonly judges?: unknown
  /** Set if the grader runs with the user's permissions, or in a sandbox if the folder is not trusted. */
  readonly runsAsUser?: true
  /** Set if the grader can be used only in a case with a workspace. */
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
