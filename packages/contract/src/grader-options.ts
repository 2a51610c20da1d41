/** How the options of a grader are read from a suite, and what can be wrong with them. */

/** An option that its own schema could not refuse. */
export interface OptionFault {
  /** Where in the options. */
  readonly path: readonly (string | number)[]
  readonly at?: 'key'
  readonly found?: string
  readonly expected: string
  readonly nearest?: string | null
}

export type ResolvedOptions<Options> =
  | { readonly options: Options; readonly note?: string }
  | { readonly faults: readonly OptionFault[] }

/** How a grader's options are read. */
export interface OptionsReading {
  /** `check`: nothing of the folder is run. */
  readonly how?: 'run' | 'check'
  /** As the run's option of this name. */
  readonly sandboxGraders?: boolean
}
