/** What an estimate looks like: a value, what it rests on, and how sure it is. */

/** Two ends of an interval, nothing more: what the textbook intervals return. */
export interface Bounds {
  readonly low: number
  readonly high: number
}

/**
 * What an interval is about. `population`: cases like these that were not seen. `fixed`: exactly these
 * cases, tried again. The second is about half as wide and says nothing about new cases.
 */
export type Target = 'fixed' | 'population'

export interface Interval extends Bounds {
  readonly level: number
  readonly method: string
  readonly target: Target
}

/** A figure as reports carry it: never NaN, and null only with the reason why. */
export interface Metric {
  readonly value: number | null
  /** The value is infinite; `value` is null, since JSON has no infinity. */
  readonly infinite?: true
  readonly reason?: string
  /** How many members the figure is taken over; for suite metrics, cases. */
  readonly n: number
  readonly interval?: Interval
}

/** n trials of one case, c of them passed: all that pass@k, pass^k and their intervals need. */
export interface CaseCounts {
  readonly n: number
  readonly c: number
}

export const DEFAULT_LEVEL = 0.95
