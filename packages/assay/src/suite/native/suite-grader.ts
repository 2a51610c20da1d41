/** A grader as suites are read with it: its options, and what it says about them. The caller brings the list. */
import type { z } from 'zod'
import type { OptionFault, OptionsReading, ResolvedOptions } from '@assay/contract'

export interface SuiteGrader {
  readonly type: string
  /** One line for people. */
  readonly summary: string
  /** Strict: an unknown option is an error. */
  readonly options: z.ZodType
  /** False for one that only ever advises. */
  readonly verdict?: boolean
  /** It runs with the user's rights, or in a sandbox where the folder is not trusted. */
  readonly runsAsUser?: true
  /** What is wrong with it in a case with a workspace. */
  workspaceFault?(options: unknown): OptionFault | null
  /** Completes the options from the suite's folder, or says what is wrong with them. */
  resolve?(
    options: unknown,
    folder: string,
    reading?: OptionsReading,
  ): Promise<ResolvedOptions<unknown>>
}
