/**
 * A comparison of two runs in the form that the pages show. Every figure is already a text, the same as in the
 * terminal.
 */

export interface ViewSide {
  readonly name: string
  readonly createdAt: string | null
  /** Marks that a reader must see, such as SIMULATED. */
  readonly marks: readonly string[]
}

export interface ViewPair {
  readonly baseline: string
  readonly current: string
  readonly verdict: 'regression' | 'improvement' | 'noRegression' | 'inconclusive' | null
  /** `head` is the verdict in one or two words. The sentence says it in full. */
  readonly head: string
  readonly said: string
  readonly parameters: readonly {
    readonly name: string
    readonly baseline: string | null
    readonly current: string | null
  }[]
  /** The titles of the columns, and one row per measure. */
  readonly titles: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly notes: readonly string[]
}

export interface ViewCaseName {
  readonly suite: string
  readonly case: string
  readonly subject: string
  /** Why the case is not comparable. */
  readonly reason?: string
}

export interface ViewCaseChange extends ViewCaseName {
  /** The subject's name in the baseline. */
  readonly baseline: string
  readonly texts: readonly [baseline: string, current: string, change: string, p: string]
  readonly delta: number
}

export interface ViewComparison {
  readonly baseline: ViewSide
  readonly current: ViewSide
  readonly failures: readonly string[]
  readonly pairs: readonly ViewPair[]
  readonly gates: readonly {
    readonly status: string
    readonly scope: readonly string[]
    readonly text: string
  }[]
  readonly threshold: number
  /** The cases that changed, the largest changes first. */
  readonly regressions: readonly ViewCaseChange[]
  readonly improvements: readonly ViewCaseChange[]
  readonly unchanged: number
  readonly added: readonly ViewCaseName[]
  readonly removed: readonly ViewCaseName[]
  readonly incomparable: readonly ViewCaseName[]
  /** The number of cases that are in none of the lists above, because the lists have a maximum length. */
  readonly leftOut: number
  readonly warnings: readonly string[]
}
