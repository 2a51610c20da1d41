/** A grader as the readers of suites see it: its options, and what it says about them. The caller passes the list. */
import type { z } from 'zod'
import type { OptionFault, OptionsReading, ResolvedOptions } from '@assay/contract'

export interface SuiteGrader {
  readonly type: string
  /** One line for the user. */
  readonly summary: string
  /** A strict schema: an unknown option is an error. */
  readonly options: z.ZodType
  /** False for a grader that never decides whether a trial passes. */
  readonly verdict?: boolean
  /** The grader runs with the user's rights, or in a sandbox if the folder is not trusted. */
  readonly runsAsUser?: true
  /** Returns what is wrong with the grader in a case with a workspace, or null. */
  workspaceFault?(options: unknown): OptionFault | null
  /** Completes the options from the suite's folder, or says what is wrong with them. */
  resolve?(
    options: unknown,
    folder: string,
    reading?: OptionsReading,
  ): Promise<ResolvedOptions<unknown>>
}
