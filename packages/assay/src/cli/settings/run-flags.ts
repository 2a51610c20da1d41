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
  /** The run that `only` looks at. Default: the latest. */
  readonly of?: string
  readonly limit?: number
  readonly sample?: number
  readonly output?: string
  readonly seed?: number
  readonly shard?: Shard
  readonly rate?: number
  /** The address of the Redis on which workers wait for trials. */
  readonly queue?: string
  /** A folder that this machine and the workers share, for what is too large for Redis. */
  readonly store?: string
  readonly queueLock?: string
  readonly budget?: number
  readonly timeout?: string
  readonly gradeTimeout?: string
  readonly maxErrors?: number
  readonly maxWait?: string
  readonly sandbox?: 'bubblewrap' | 'none'
  /** `--no-proof`: false. */
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
  /** Runs again what changes. */
  readonly watch?: boolean
  readonly report?: readonly string[]
  /** Keys by which the summary breaks figures down. */
  readonly by?: readonly string[]
  readonly view?: boolean
  readonly json?: boolean
  readonly details?: boolean
}

/** Everything that determines the plan. The record stores it, so that `--resume` alone can build the plan again. */
export interface Request {
  readonly suites: readonly string[]
  readonly subjects: readonly string[]
  readonly config: string | null
  readonly filter: readonly string[]
  readonly cases: readonly string[]
  readonly temperature: number | null
  /** The number of trials of cases that set no number themselves. If `asked.trials` is set, it applies to all cases. */
  readonly trials: number
  readonly passK: readonly number[]
  readonly prices: string | null
  /** Values from the command line or a run file for settings that suites may set too. They override the suites. */
  readonly asked?: {
    readonly trials?: number
    readonly passK?: readonly number[]
    readonly timeoutMs?: number
  }
  /** The judges that replace those in the suites. */
  readonly judges?: readonly string[]
  /** The run whose answers are graded again. */
  readonly regrade?: string
  /** The cases that `--only`, `--limit` and `--sample` picked. Absent: all selected cases. */
  readonly picked?: Picked
}
