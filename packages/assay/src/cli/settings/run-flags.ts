/** What a run is asked for: its flags, and the request that its record keeps. */

export interface RunFlags {
  readonly suites: readonly string[]
  readonly evalSet?: readonly string[]
  readonly model?: readonly string[]
  readonly models?: readonly string[]
  readonly judge?: readonly string[]
  readonly regrade?: string
  readonly config?: string
  readonly trials?: number
  readonly passK?: readonly number[]
  readonly temperature?: number
  readonly parallelism?: number
  readonly filter?: readonly string[]
  readonly case?: readonly string[]
  readonly output?: string
  readonly seed?: number
  readonly budget?: number
  readonly timeout?: string
  readonly gradeTimeout?: string
  readonly maxErrors?: number
  readonly maxWait?: string
  readonly sandbox?: 'bubblewrap' | 'none'
  readonly keep?: boolean
  readonly resume?: string | true
  readonly keepErrors?: boolean
  readonly allowChanged?: boolean
  readonly acceptEdited?: boolean
  readonly allowPartial?: boolean
  readonly cache?: boolean
  readonly envFile?: string
  readonly prices?: string
  readonly dryRun?: boolean
  readonly trust?: boolean
  readonly report?: readonly string[]
  readonly json?: boolean
}

/** What makes the plan. Kept in the record, so that `--resume` alone can make it again. */
export interface Request {
  readonly suites: readonly string[]
  readonly subjects: readonly string[]
  readonly config: string | null
  readonly filter: readonly string[]
  readonly cases: readonly string[]
  readonly temperature: number | null
  /** For cases that say nothing themselves, and where `asked` has it also for the others. */
  readonly trials: number
  readonly passK: readonly number[]
  readonly prices: string | null
  /** What the command line or a run file said of that which suites may say too: it wins over them. */
  readonly asked?: {
    readonly trials?: number
    readonly passK?: readonly number[]
    readonly timeoutMs?: number
  }
  /** Judges in place of those that the suites name. */
  readonly judges?: readonly string[]
  /** The run whose answers are graded again. */
  readonly regrade?: string
}
