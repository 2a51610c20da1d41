/** Types for reading a grader's options from a suite and for reporting errors in them. */

/** An error in an option that the grader's schema cannot detect. */
export interface OptionFault {
  /** The path of the faulty option: keys and indexes from the top of the options. */
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
  /** What happens to the options. With `check`, they are only validated, and no code from the suite's folder runs. */
  readonly how?: 'run' | 'check'
  /** Whether custom graders run in the sandbox. Same meaning as the run option of this name. */
  readonly sandboxGraders?: boolean
}
