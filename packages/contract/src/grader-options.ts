/** Types for reading a grader's options from a suite and for reporting errors in them. */

/** An error in an option that the grader's schema cannot detect. */
export interface OptionFault {
  /** The position in the options. */
  readonly path: readonly (string | number)[]
  readonly at?: 'key'
  readonly found?: string
  readonly expected: string
  readonly nearest?: string | null
}

export type ResolvedOptions<Options> =
  | { readonly options: Options; readonly note?: string }
  | { readonly faults: readonly OptionFault[] }

/** The settings for reading a grader's options. */
export interface OptionsReading {
  /** `check`: do not run any code of the folder. */
  readonly how?: 'run' | 'check'
  /** Same meaning as the run's option of this name. */
  readonly sandboxGraders?: boolean
}
