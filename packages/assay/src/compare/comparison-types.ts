/** Types for the options and for the result of a comparison. */
import type { Target } from '@assay/metrics'
import type { Gate, GateResult } from './gates.ts'
import type { MetricChange } from './gate-verdict.ts'
import type { CaseChange, CaseName, NotComparable } from './match-cases.ts'
import type { MetricName } from './names.ts'
import type { Regraded } from './same-answers.ts'
import type { ParameterChange } from './side-differences.ts'

export interface Side {
  /** The run as the user named it. */
  readonly name: string
  /** The subject, if the user selected a single one (`RUN#subject`). Otherwise null. */
  readonly subject: string | null
}

export interface CompareOptions {
  readonly baseline: Side
  readonly current: Side
  /** The pairs of subjects that the user wants to compare, each as `old=new`. */
  readonly pairs: readonly string[]
  /** A case counts as changed if its score moved by more than this (a rule of the code-scoring specification). */
  readonly threshold: number
  readonly alpha: number
  readonly target: Target
  /** The metric that the gate decides on. Outputs show it first. */
  readonly metric: MetricName
  /** The margin of `metric`. Null for its default margin. */
  readonly margin: number | null
  readonly gate: 'statistical' | null
  /** The gates from a gates file. Null if there is no file; then each pair has one gate, on `metric`. */
  readonly gates: readonly Gate[] | null
  /** If true, undecided gates fail. */
  readonly strict: boolean
  readonly failOnRegression: boolean
  /**
   * Whether removed cases make the comparison fail. Null means true with the statistical gate, and false without it.
   */
  readonly failOnRemoved: boolean | null
  /** If true, gates can hold even if the current run is incomplete or invalid. */
  readonly allowPartial: boolean
  /** The keys (tags, groups or metadata) by which the comparison is broken down. */
  readonly by: readonly string[]
}

export interface SideSummary {
  readonly name: string
  readonly run: string
  readonly createdAt: string | null
  readonly sources: readonly string[]
  /** Set if the run's log was changed outside of Assay and the user accepted the change. */
  readonly edited?: true
}

export interface PValue {
  readonly p: number | null
  readonly method: string
}

export interface PairComparison {
  readonly baseline: string
  readonly current: string
  /** The number of cases that both runs have. All figures are computed from these cases. */
  readonly cases: number
  /** The number of groups that these cases form. Absent if no two of them share a group. */
  readonly groups?: number
  /**
   * The number of cases that only one run has or that are not comparable. The figures here leave them out, but the
   * runs' own reports include them.
   */
  readonly leftOut: number
  readonly parameters: readonly ParameterChange[]
  /** Present if both sides have the same answers, graded twice. */
  readonly regraded?: Regraded
  /** The measures. The first one is the metric that the gate decides on. */
  readonly metrics: readonly MetricChange[]
  readonly tests: {
    /** A test of the passes, stratified by case. It asks whether anything changed on exactly these cases. */
    readonly anythingChanged: PValue
    /** A t test. It asks whether the mean score changed on cases like these. */
    readonly averageChanged: PValue
    /** A sign-flip test of the same question. It makes no assumption about the distribution. */
    readonly averageChangedExact: PValue
  }
}

/** The comparison by the values of one key: a tag, a group, or a key of the cases' metadata. */
export interface ComparisonBy {
  readonly key: string
  readonly rows: readonly {
    readonly value: string
    readonly baseline: string
    readonly current: string
    readonly cases: number
    readonly groups?: number
    /** The change of the metric that the gate decides on. The verdicts of all rows of a key are adjusted together. */
    readonly change: MetricChange
  }[]
  /** The number of cases that do not have the key. They are in no row. */
  readonly without: number
  /** The number of cases with several values. Such a case is in the row of each value. */
  readonly several: number
  readonly notes: readonly string[]
}

export interface Comparison {
  readonly assay: 'comparison'
  readonly version: 1
  readonly baseline: SideSummary
  readonly current: SideSummary
  readonly threshold: number
  readonly alpha: number
  readonly target: Target
  readonly outcome: Outcome
  readonly regressions: readonly CaseChange[]
  readonly improvements: readonly CaseChange[]
  readonly unchanged: readonly CaseChange[]
  readonly new_cases: readonly CaseName[]
  readonly removed_cases: readonly CaseName[]
  readonly not_comparable: readonly NotComparable[]
  readonly pairs: readonly PairComparison[]
  readonly gates: readonly GateResult[]
  /** Present if the user asked for it. */
  readonly by?: readonly ComparisonBy[]
  readonly warnings: readonly string[]
}

export interface Outcome {
  /**
   * The exit code. 0: all gates and other checks hold, or there are none. 1: at least one of them failed. 3: nothing is
   * comparable, or there are gates and the current run is incomplete.
   */
  readonly code: 0 | 1 | 3
  /** The reasons why the comparison failed, one sentence each. */
  readonly failures: readonly string[]
  /** Whether the options included a check that can fail. */
  readonly gated: boolean
}
