/**
 * What is known of every trial, in typed columns at its ordinal. Filled while a run goes on and when a
 * log is read again, in whatever order lines come; for one identity the last line counts.
 */
import type { Grade, Outcome, Trial } from '../contract.ts'
import type { Plan } from './plan.ts'

export const OUTCOMES = [
  'passed',
  'failed',
  'unscored',
  'errored',
] as const satisfies readonly Outcome[]
/** Planned and not recorded. */
const NONE = 0
const CODE: Record<Outcome, number> = { passed: 1, failed: 2, unscored: 3, errored: 4 }

export interface Counts {
  readonly planned: number
  readonly passed: number
  readonly failed: number
  readonly unscored: number
  readonly errored: number
  readonly cancelled: number
}

/** What the code grader found, at the trial's ordinal. NaN where the trial has no such grade. */
export interface CodeColumns {
  /** 1 where it compiled, else 0. */
  readonly compiled: Float64Array
  /** Share of tests passed. */
  readonly tests: Float64Array
  readonly lint: Float64Array
  /** The place in `INTEGRITIES` plus one; 0 where no test ran. */
  readonly integrity: Uint8Array
}

export const INTEGRITIES = ['values', 'inventory'] as const

export class Tally {
  readonly plan: Plan
  readonly outcome: Uint8Array
  /** NaN where there is none. */
  readonly score: Float64Array
  readonly answerUsd: Float64Array
  readonly answerMs: Float64Array
  readonly waitMs: Float64Array
  readonly gradeMs: Float64Array
  readonly inputTokens: Float64Array
  readonly outputTokens: Float64Array
  /** Null while no trial was graded as code. */
  code: CodeColumns | null = null
  /** Where code was run, over all trials. */
  readonly sandboxes = new Set<string>()
  /** Lines that a later line of the same identity replaced. */
  replaced = 0
  /** Lines of trials that the plan does not have, or whose case has changed since. */
  foreign = 0
  /** Whole nano-dollars, so that no order of lines changes the total. */
  #spentNanos = 0

  constructor(plan: Plan) {
    this.plan = plan
    this.outcome = new Uint8Array(plan.planned)
    const column = (): Float64Array => new Float64Array(plan.planned).fill(Number.NaN)
    this.score = column()
    this.answerUsd = column()
    this.answerMs = column()
    this.waitMs = column()
    this.gradeMs = column()
    this.inputTokens = column()
    this.outputTokens = column()
  }

  /** Takes a recorded trial in; false where it does not belong to the plan. */
  add(trial: Trial): boolean {
    this.#spentNanos += Math.round(trial.cost.spentUsd * 1e9)
    const ordinal = this.plan.ordinalOf(trial)
    if (ordinal === null || this.plan.cellAt(ordinal).case.hash !== trial.caseHash) {
      this.foreign++
      return false
    }
    if (this.outcome[ordinal] !== NONE) this.replaced++
    this.outcome[ordinal] = CODE[trial.outcome]
    this.score[ordinal] = trial.score ?? Number.NaN
    this.answerUsd[ordinal] = trial.cost.answerUsd ?? Number.NaN
    this.answerMs[ordinal] = trial.time.answerMs
    this.waitMs[ordinal] = trial.time.waitMs
    this.gradeMs[ordinal] = trial.time.gradeMs
    this.inputTokens[ordinal] =
      trial.usage === null
        ? Number.NaN
        : trial.usage.input + trial.usage.cacheRead + trial.usage.cacheWrite
    this.outputTokens[ordinal] = trial.usage?.output ?? Number.NaN
    if (trial.sandbox !== undefined) this.sandboxes.add(trial.sandbox)
    this.#addCode(
      ordinal,
      trial.grades.find(({ type }) => type === 'code'),
    )
    return true
  }

  #addCode(ordinal: number, grade: Grade | undefined): void {
    if (grade === undefined && this.code === null) return
    const column = (): Float64Array => new Float64Array(this.plan.planned).fill(Number.NaN)
    this.code ??= {
      compiled: column(),
      tests: column(),
      lint: column(),
      integrity: new Uint8Array(this.plan.planned),
    }
    const part = (name: string): number =>
      grade?.details?.find((detail) => detail.name === name)?.score ?? Number.NaN
    this.code.compiled[ordinal] = part('compile')
    this.code.tests[ordinal] = part('tests')
    this.code.lint[ordinal] = part('lint')
    this.code.integrity[ordinal] =
      grade?.integrity === undefined ? 0 : INTEGRITIES.indexOf(grade.integrity) + 1
  }

  /** Everything this run paid, replaced lines included. */
  get spentUsd(): number {
    return this.#spentNanos / 1e9
  }

  outcomeAt(ordinal: number): Outcome | null {
    const code = this.outcome[ordinal] as number
    return code === NONE ? null : (OUTCOMES[code - 1] as Outcome)
  }

  /** The one visible denominator, over the trials from `first` on, or over all. */
  counts(first: number = 0, length: number = this.outcome.length): Counts {
    const of = [0, 0, 0, 0, 0]
    for (let i = first; i < first + length; i++) (of[this.outcome[i] as number] as number)++
    const [cancelled, passed, failed, unscored, errored] = of as [
      number,
      number,
      number,
      number,
      number,
    ]
    return { planned: length, passed, failed, unscored, errored, cancelled }
  }
}
