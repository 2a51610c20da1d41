/** The flags of a run, and the request that its record stores. */
import type { Shard } from '../../log/index.ts'

import type { Only, Picked } from './part/only.ts'
import type { GateFlags } from '../commands/gate-flags.ts'

export interface RunFlags extends GateFlags {
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
  readonly only?: Only
  /** The run whose results `only` uses. Default: the latest. */
  readonly of?: string
  readonly limit?: number
  readonly sample?: number
  readonly output?: string
  readonly seed?: number
  readonly shard?: Shard
  readonly rate?: number
  /** The address of the Redis server on which workers wait for trials. */
  readonly queue?: string
  /** A folder that this machine and the workers share. It holds data that is too large for Redis. */
  readonly store?: string
  readonly queueLock?: string
  readonly budget?: number
  readonly timeout?: string
  readonly gradeTimeout?: string
  readonly maxErrors?: number
  readonly maxWait?: string
  readonly sandbox?: 'bubblewrap' | 'none'
  /** False if `--no-proof` was given. */
  readonly proof?: boolean
  readonly keep?: boolean
  readonly record?: boolean
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
  /** Whether to wait for changed files and run the changed parts again. */
  readonly watch?: boolean
  readonly report?: readonly string[]
  /** The keys by which the summary groups its figures. */
  readonly by?: readonly string[]
  readonly view?: boolean
  readonly json?: boolean
  readonly details?: boolean
}

/**
 * Everything that determines the plan. The run's record stores it, so that `--resume` alone can make the plan again.
 */
export interface Request {
  readonly suites: readonly string[]
  readonly subjects: readonly string[]
  readonly config: string | null
  readonly filter: readonly string[]
  readonly cases: readonly string[]
  readonly temperature: number | null
  /**
   * The number of trials of a case that does not set its own. If `asked.trials` is set, that number applies to all
   * cases.
   */
  readonly trials: number
  readonly passK: readonly number[]
  readonly prices: string | null
  /**
   * Values of settings that suites may set too. They come from the command line or a run file, and override the
   * suites.
   */
  readonly asked?: {
    readonly trials?: number
    readonly passK?: readonly number[]
    readonly timeoutMs?: number
  }
  /** The judges that replace those in the suites. */
  readonly judges?: readonly string[]
  /** The run whose answers are graded again. */
  readonly regrade?: string
  /** The cases that `--only`, `--limit` and `--sample` picked. If absent, all selected cases are run. */
  readonly picked?: Picked
}
