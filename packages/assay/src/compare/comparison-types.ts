/** Types for the options and the result of a comparison. */
import type { Target } from '@assay/metrics'
import type { Gate, GateResult } from './gates.ts'
import type { MetricChange } from './gate-verdict.ts'
import type { CaseChange, CaseName, NotComparable } from './match-cases.ts'
import type { MetricName } from './names.ts'
import type { Regraded } from './same-answers.ts'
import type { ParameterChange } from './side-differences.ts'

export interface Side {
  /** As the user named it. */
  readonly name: string
  /** The only subject to compare, if a selector (`RUN#subject`) chose one. */
  readonly subject: string | null
}

export interface CompareOptions {
  readonly baseline: Side
  readonly current: Side
  /** Pairs of subjects, each as `old=new`. */
  readonly pairs: readonly string[]
  /** A case changed if its score moved by more than this (rule of the code-scoring document). */
  readonly threshold: number
  readonly alpha: number
  readonly target: Target
  /** The metric that the gate decides on; also shown first. */
  readonly metric: MetricName
  /** Margin of that metric; null for its default. */
  readonly margin: number | null
  readonly gate: 'statistical' | null
  /** Gates from a file; null for one gate on `metric` per pair. */
  readonly gates: readonly Gate[] | null
  /** If true, undecided gates fail. */
  readonly strict: boolean
  readonly failOnRegression: boolean
  /** Null: only with the statistical gate. */
  readonly failOnRemoved: boolean | null
  /** If true, gates may hold on a current run that is incomplete or invalid. */
  readonly allowPartial: boolean
}

export interface SideSummary {
  readonly name: string
  readonly run: string
  readonly createdAt: string | null
  readonly sources: readonly string[]
  /** Set if the run's record was changed and the user accepted it. */
  readonly edited?: true
}

export interface PValue {
  readonly p: number | null
  readonly method: string
}

export interface PairComparison {
  readonly baseline: string
  readonly current: string
  /** Cases on both sides; all figures are over these. */
  readonly cases: number
  /** Cases on one side only, or not comparable. The figures of the reports themselves include these. */
  readonly leftOut: number
  readonly parameters: readonly ParameterChange[]
  /** Present if both sides have the same answers, graded twice. */
  readonly regraded?: Regraded
  /** The metric that the gate decides on comes first. */
  readonly metrics: readonly MetricChange[]
  readonly tests: {
    /** Did anything change on exactly these cases? A test of passes, stratified by case. */
    readonly anythingChanged: PValue
    /** Did the mean score change on cases like these? */
    readonly averageChanged: PValue
    /** The same question, tested without assuming a distribution. */
    readonly averageChangedExact: PValue
  }
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
  readonly warnings: readonly string[]
}

export interface Outcome {
  /**
   * The exit code. 0: all gates and other checks hold, or there are none. 1: one failed. 3: nothing is
   * comparable, or the gated run is incomplete.
   */
  readonly code: 0 | 1 | 3
  /** The failures, one sentence each. */
  readonly failures: readonly string[]
  /** True if the options included a check that could fail. */
  readonly gated: boolean
}
