/**
 * What is known of every trial, in typed columns at its ordinal. Filled while a run goes on and when a
 * log is read again, in whatever order lines come; for one identity the last line counts.
 */
import {
  REASONS,
  type Grade,
  type Outcome,
  type ReasonCode,
  type Trial,
  type Usage,
} from '@assay/contract'
import { codeFacts, INTEGRITIES, type CodeFacts } from './code-facts.ts'
import { Column } from './column.ts'
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

export const REASON_CODES = Object.keys(REASONS) as readonly ReasonCode[]
const REASON_AT: ReadonlyMap<string, number> = new Map(REASON_CODES.map((code, i) => [code, i + 1]))

export interface Counts {
  readonly planned: number
  readonly passed: number
  readonly failed: number
  readonly unscored: number
  readonly errored: number
  readonly cancelled: number
}

/** What is kept of a trial. Null: unknown. */
export interface TrialFacts {
  readonly outcome: Outcome
  readonly score: number | null
  readonly implRate: number | null
  readonly answerUsd: number | null
  readonly judgeUsd: number | null
  readonly answerMs: number | null
  readonly waitMs: number | null
  readonly gradeMs: number | null
  readonly usage: Usage | null
  readonly code: CodeFacts | null
  readonly reason: { readonly code: ReasonCode; readonly text: string } | null
  readonly grades: readonly Grade[]
  readonly cached: boolean
}

/** So many graders of a case are told apart; none has more. */
const MOST_GRADERS = 32
/** So many different texts of reasons are kept, and so much of each: an example is all they are for. */
const MOST_TEXTS = 10_000
const TEXT_LENGTH = 400

export class Tally {
  readonly plan: Plan
  readonly outcome: Uint8Array
  readonly score: Column
  readonly implRate: Column
  readonly answerUsd: Column
  readonly judgeUsd: Column
  readonly answerMs: Column
  readonly waitMs: Column
  readonly gradeMs: Column
  readonly tokens: Readonly<Record<keyof Usage, Column>>
  readonly compiled: Column
  readonly tests: Column
  readonly lint: Column
  /** The place in `INTEGRITIES` plus one; 0 where no test ran. */
  readonly integrity: Uint8Array
  /** Where code was run, over all trials. */
  readonly sandboxes = new Set<string>()
  /** Lines that a later line of the same identity replaced. */
  replaced = 0
  /** Lines of trials that the plan does not have, or whose case has changed since. */
  foreign = 0
  /** The place in `REASON_CODES` plus one; 0 where there is none. */
  readonly #reason: Uint8Array
  readonly #cached: Uint8Array
  /** The place in `#texts` plus one; 0 where none is kept. */
  readonly #reasonText: Uint16Array
  readonly #texts: string[] = []
  readonly #textAt = new Map<string, number>()
  /** A bit for each grader that failed, and for each that had a verdict or a score. */
  readonly #failed: Uint32Array
  readonly #graded: Uint32Array
  /** Names of graders by their bit, for each case. */
  readonly #graders = new Map<object, string[]>()
  /** Whole nano-dollars, so that no order of lines changes the total. */
  #spentNanos = 0

  constructor(plan: Plan) {
    this.plan = plan
    const length = plan.planned
    const column = (): Column => new Column(length)
    this.outcome = new Uint8Array(length)
    this.score = column()
    this.implRate = column()
    this.answerUsd = column()
    this.judgeUsd = column()
    this.answerMs = column()
    this.waitMs = column()
    this.gradeMs = column()
    this.tokens = {
      input: column(),
      cacheRead: column(),
      cacheWrite: column(),
      output: column(),
      reasoning: column(),
    }
    this.compiled = column()
    this.tests = column()
    this.lint = column()
    this.integrity = new Uint8Array(length)
    this.#reason = new Uint8Array(length)
    this.#reasonText = new Uint16Array(length)
    this.#cached = new Uint8Array(length)
    this.#failed = new Uint32Array(length)
    this.#graded = new Uint32Array(length)
  }

  /** Takes a recorded trial in and returns its ordinal; null where it does not belong to the plan. */
  add(trial: Trial): number | null {
    this.spend(trial.cost.spentUsd)
    const ordinal = this.plan.ordinalOf(trial)
    if (ordinal === null || this.plan.cellAt(ordinal).case.hash !== trial.caseHash) {
      this.foreign++
      return null
    }
    if (trial.sandbox !== undefined) this.sandboxes.add(trial.sandbox)
    this.put(ordinal, {
      outcome: trial.outcome,
      score: trial.score,
      implRate: trial.implRate,
      answerUsd: trial.cost.answerUsd,
      judgeUsd: trial.cost.judgeUsd,
      answerMs: trial.time.answerMs,
      waitMs: trial.time.waitMs,
      gradeMs: trial.time.gradeMs,
      usage: trial.usage,
      code: codeFacts(trial.grades),
      reason: trial.reason ?? null,
      grades: trial.grades,
      cached: trial.source === 'cache',
    })
    return ordinal
  }

  /** What this run paid for a trial; a line that does not say counts nothing. */
  spend(usd: number | null | undefined): void {
    this.#spentNanos += Math.round((usd ?? 0) * 1e9)
  }

  put(ordinal: number, facts: TrialFacts): void {
    if (this.outcome[ordinal] !== NONE) this.replaced++
    this.outcome[ordinal] = CODE[facts.outcome]
    this.score.set(ordinal, facts.score)
    this.implRate.set(ordinal, facts.implRate)
    this.answerUsd.set(ordinal, facts.answerUsd)
    this.judgeUsd.set(ordinal, facts.judgeUsd)
    this.answerMs.set(ordinal, facts.answerMs)
    this.waitMs.set(ordinal, facts.waitMs)
    this.gradeMs.set(ordinal, facts.gradeMs)
    for (const kind of TOKEN_CLASSES) this.tokens[kind].set(ordinal, facts.usage?.[kind])
    this.compiled.set(ordinal, facts.code?.compiled)
    this.tests.set(ordinal, facts.code?.tests)
    this.lint.set(ordinal, facts.code?.lint)
    const integrity = facts.code?.integrity ?? null
    this.integrity[ordinal] = integrity === null ? 0 : INTEGRITIES.indexOf(integrity) + 1
    this.#cached[ordinal] = facts.cached ? 1 : 0
    this.#putReason(ordinal, facts.reason)
    this.#putGrades(ordinal, facts.grades)
  }

  #putReason(ordinal: number, reason: TrialFacts['reason']): void {
    // A log of a later version may know reasons that this one does not: counted without a name.
    this.#reason[ordinal] = reason === null ? 0 : (REASON_AT.get(reason.code) ?? 0)
    this.#reasonText[ordinal] =
      reason === null ? 0 : this.#textId(reason.text.slice(0, TEXT_LENGTH))
  }

  #textId(text: string): number {
    const known = this.#textAt.get(text)
    if (known !== undefined) return known
    if (this.#texts.length === MOST_TEXTS) return 0
    const id = this.#texts.push(text)
    this.#textAt.set(text, id)
    return id
  }

  #putGrades(ordinal: number, grades: readonly Grade[]): void {
    this.#failed[ordinal] = 0
    this.#graded[ordinal] = 0
    if (grades.length === 0) return
    let graded = 0
    let failed = 0
    const { case: one } = this.plan.cellAt(ordinal)
    let names = this.#graders.get(one)
    if (names === undefined) this.#graders.set(one, (names = []))
    for (const { name, passed } of grades) {
      if (passed === null) continue
      let at = names.indexOf(name)
      if (at === -1) {
        if (names.length === MOST_GRADERS) continue
        at = names.push(name) - 1
      }
      const bit = 1 << at
      graded |= bit
      if (!passed) failed |= bit
    }
    this.#graded[ordinal] = graded
    this.#failed[ordinal] = failed
  }

  /** Everything this run paid, replaced lines included. */
  get spentUsd(): number {
    return this.#spentNanos / 1e9
  }

  /** Trials whose answer was kept from an earlier run. */
  get cached(): number {
    return this.#cached.reduce((sum, one) => sum + one, 0)
  }

  outcomeAt(ordinal: number): Outcome | null {
    const code = this.outcome[ordinal] as number
    return code === NONE ? null : (OUTCOMES[code - 1] as Outcome)
  }

  isScored(ordinal: number): boolean {
    const code = this.outcome[ordinal]
    return code === CODE.passed || code === CODE.failed
  }

  reasonAt(ordinal: number): ReasonCode | null {
    return REASON_CODES[(this.#reason[ordinal] as number) - 1] ?? null
  }

  reasonText(ordinal: number): string | null {
    return this.#texts[(this.#reasonText[ordinal] as number) - 1] ?? null
  }

  /** Of some trials of one case: how often each grader failed, over the trials it gave a verdict on. */
  failedGraders(one: object, ordinals: Iterable<number>): GraderFailures[] {
    const names = this.#graders.get(one) ?? []
    const counts = names.map((name) => ({ name, failed: 0, of: 0 }))
    for (const ordinal of ordinals)
      for (const [at, count] of counts.entries()) {
        if (((this.#graded[ordinal] as number) & (1 << at)) !== 0) count.of++
        if (((this.#failed[ordinal] as number) & (1 << at)) !== 0) count.failed++
      }
    return counts
      .filter(({ failed }) => failed > 0)
      .sort((a, b) => b.failed - a.failed || (a.name < b.name ? -1 : 1))
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

export interface GraderFailures {
  readonly name: string
  failed: number
  of: number
}

const TOKEN_CLASSES = ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'] as const
