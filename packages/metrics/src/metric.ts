/** The type of an estimate: a value, the number of observations behind it, and its interval. */

/** The two ends of an interval. */
export interface Bounds {
  readonly low: number
  readonly high: number
}

/**
 * What an interval makes a statement about. `population`: all cases like these, including new ones.
 * `fixed`: new trials of exactly these cases. A fixed interval is about half as wide and says nothing
 * about new cases.
 */
export type Target = 'fixed' | 'population'

/** All methods of computing an interval. docs/reference/formulas.md says which function uses which method. */
export const INTERVAL_METHODS = [
  'Clopper-Pearson over cases',
  'Clopper-Pearson over trials',
  'Clopper-Pearson over trials, by number of trials',
  'Clopper-Pearson on effective n',
  'Clopper-Pearson on effective n, by number of trials',
  'Clopper-Pearson on effective n with unseen share',
  'Clopper-Pearson on effective n with unseen share, by number of trials',
  'Korn-Graubard with unseen share',
  'Korn-Graubard with unseen share, over groups',
  'hull of the intervals over cases and over trials',
  'Jeffreys',
  'paired t over cases',
  'paired t over groups',
  'paired t over cases, widened for skewness',
  'paired t over groups, widened for skewness',
  'unseen share of equal cases',
  'fixed-set intervals joined (MOVER)',
  'intervals of independent groups joined (MOVER)',
  'intervals of classes joined (MOVER)',
  'Welch t over cases of independent groups',
  'Welch t over groups of cases of independent groups',
  'log ratio: hull of linearised t, bootstrap-t and log-normal model',
  'log ratio: hull of linearised t, bootstrap-t and log-normal model, over groups',
  'log ratio, linearised over paired cases, t',
  'log ratio, linearised over groups, t',
  'zero-pass bound over cases',
  'zero-pass bound over groups',
  'zero-pass bound over trials',
  'percentile bootstrap over cases',
  'BCa bootstrap over cases',
  'percentile bootstrap over groups',
  'BCa bootstrap over groups',
  'hull of bootstrap and t with bootstrap error',
  'beta-binomial posterior (model-based)',
  'Fleiss-Cohen-Everitt, normal',
  'Fleiss-Cohen-Everitt over groups, t',
  'Lang-Reiczigel',
] as const

export type IntervalMethod = (typeof INTERVAL_METHODS)[number]

export interface Interval extends Bounds {
  readonly level: number
  readonly method: IntervalMethod
  readonly target: Target
}

/** A figure as it appears in reports. The value is never NaN. If it is null, `reason` says why. */
export interface Metric {
  readonly value: number | null
  /** `infinite` is set if the figure is infinite. `value` is then null, because JSON has no infinity. */
  readonly infinite?: true
  readonly reason?: string
  /**
   * The number of observations that the figure is computed from. For metrics of a suite, this is the
   * number of cases.
   */
  readonly n: number
  /**
   * The number of groups of related cases. It is absent if no two cases share a group. If it is
   * present, the population interval counts groups instead of cases.
   */
  readonly groups?: number
  /**
   * The standard error of the value, for the same target as the interval. It is 0 if the data show
   * no spread.
   */
  readonly se?: number
  /** The number of independent observations that would give the same precision as these data. */
  readonly effectiveN?: number
  readonly interval?: Interval
}

/**
 * n trials of one case, of which c passed. pass@k, pass^k and their intervals are computed from
 * these two counts alone.
 */
export interface CaseCounts {
  readonly n: number
  readonly c: number
}

export const DEFAULT_LEVEL = 0.95
