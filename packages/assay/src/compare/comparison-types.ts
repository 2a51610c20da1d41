/** What is compared, and what came of it. */
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
  /** The one subject that a selector leaves. */
  readonly subject: string | null
}

export interface CompareOptions {
  readonly baseline: Side
  readonly current: Side
  /** `old=new`. */
  readonly pairs: readonly string[]
  /** Of the document's rule. */
  readonly threshold: number
  readonly alpha: number
  readonly target: Target
  /** What the gate decides on; also the first line of the text. */
  readonly metric: MetricName
  /** Of that metric; null: its own default. */
  readonly margin: number | null
  readonly gate: 'statistical' | null
  /** From a file; null: one gate on `metric` for each pair. */
  readonly gates: readonly Gate[] | null
  /** Undecided gates fail. */
  readonly strict: boolean
  readonly failOnRegression: boolean
  /** Null: with the statistical gate. */
  readonly failOnRemoved: boolean | null
  /** Gates may hold on a current run that is incomplete or invalid. */
  readonly allowPartial: boolean
}

export interface SideSummary {
  readonly name: string
  readonly run: string
  readonly createdAt: string | null
  readonly sources: readonly string[]
  /** The record of the run was changed, and accepted as it was. */
  readonly edited?: true
}

export interface PValue {
  readonly p: number | null
  readonly method: string
}

export interface PairComparison {
  readonly baseline: string
  readonly current: string
  /** On both sides: all figures are over these. */
  readonly cases: number
  /** On one side only, or not comparable: the reports' own figures hold these too. */
  readonly leftOut: number
  readonly parameters: readonly ParameterChange[]
  /** Where both sides hold the same answers, graded twice. */
  readonly regraded?: Regraded
  /** The metric that is decided on comes first. */
  readonly metrics: readonly MetricChange[]
  readonly tests: {
    /** Whether anything changed on exactly these cases: passes, stratified by case. */
    readonly anythingChanged: PValue
    /** Whether the mean score changed on cases like these. */
    readonly averageChanged: PValue
    /** The same without assuming a distribution. */
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
  /** 0: the gates hold, or none was asked. 1: one failed. 3: nothing is comparable, or what was gated is incomplete. */
  readonly code: 0 | 1 | 3
  /** What failed, one sentence each. */
  readonly failures: readonly string[]
  /** Whether anything was asked that could have failed. */
  readonly gated: boolean
}
