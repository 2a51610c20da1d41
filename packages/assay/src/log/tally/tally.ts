/**
 * The facts about every trial, in typed arrays. The arrays are indexed by the trial's ordinal (its position in the
 * plan). The tally is filled while a run goes on, and when a log is read. If a trial has several lines in the log, the
 * last one counts.
 */
import { durationMsOf, summedMs } from './duration.ts'
import {
  REASONS,
  type Grade,
  type Outcome,
  type ReasonCode,
  type Trial,
  type Usage,
} from '@assay/contract'
import { codeFacts, INTEGRITIES, type CodeFacts } from './code-facts.ts'
import { Column, type StoredColumn, type TakeBytes } from './column.ts'
import type { Plan } from './plan.ts'

export const OUTCOMES = [
  'passed',
  'failed',
  'unscored',
  'errored',
] as const satisfies readonly Outcome[]
/** The outcome of a trial that is planned but not recorded yet. */
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

/** The facts that the tally keeps about a trial. Null means unknown. */
export interface TrialFacts {
  readonly outcome: Outcome
  readonly score: number | null
  readonly implRate: number | null
  readonly answerUsd: number | null
  readonly judgeUsd: number | null
  readonly answerMs: number | null
  readonly waitMs: number | null
  readonly gradeMs: number | null
  /** The trial's end minus its start. Absent: the sum of the three times above. */
  readonly durationMs?: number | null
  readonly usage: Usage | null
  readonly code: CodeFacts | null
  readonly reason: { readonly code: ReasonCode; readonly text: string } | null
  readonly grades: readonly Grade[]
  readonly cached: boolean
}

/** The maximum number of graders of one case that are counted separately. No case has more graders. */
const MOST_GRADERS = 32
/**
 * The maximum number of different reason texts that are kept, and the maximum length of each. A few are enough, because
 * reports show them only as examples.
 */
const MOST_TEXTS = 10_000
const TEXT_LENGTH = 400

/** The part of a stored tally that is JSON. The arrays are stored separately. */
export interface StoredTally {
  readonly columns: readonly StoredColumn[]
  readonly sandboxes: readonly string[]
  readonly networks?: readonly string[]
  readonly replaced: number
  readonly foreign: number
  readonly texts: readonly string[]
  /**
   * The names of graders, by suite and case. A grader's position in its list is its bit in `#failed` and `#graded`.
   * Null if a case has no graders.
   */
  readonly graders: readonly (readonly (readonly string[] | null)[])[]
  readonly spentNanos: number
}

/**
 * Functions that create the arrays of a tally. The constructor calls them in a fixed order, because a stored tally is
 * read in that order.
 */
interface TallyArrays {
  readonly bytes: () => Uint8Array
  readonly words: () => Uint16Array
  readonly longs: () => Uint32Array
  readonly column: () => Column
}

const emptyArrays = (length: number): TallyArrays => ({
  bytes: () => new Uint8Array(length),
  words: () => new Uint16Array(length),
  longs: () => new Uint32Array(length),
  column: () => new Column(length),
})

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
  readonly durationMs: Column
  readonly tokens: Readonly<Record<keyof Usage, Column>>
  readonly compiled: Column
  readonly tests: Column
  readonly lint: Column
  /** By trial: the index in `INTEGRITIES` plus one. 0 if no test ran. */
  readonly integrity: Uint8Array
  /** The sandboxes in which code ran, collected over all trials. */
  readonly sandboxes = new Set<string>()
  /** The networks that agents could use, collected over all trials. */
  readonly networks = new Set<string>()
  /** The number of log lines that a later line of the same trial replaced. */
  replaced = 0
  /**
   * The number of log lines that do not count, because their trial is not in the plan, or because their case has
   * changed since.
   */
  foreign = 0
  /** By trial: the index in `REASON_CODES` plus one. 0 if there is no reason. */
  readonly #reason: Uint8Array
  readonly #cached: Uint8Array
  /** By trial: the index in `#texts` plus one. 0 if no text is kept. */
  readonly #reasonText: Uint16Array
  readonly #texts: string[] = []
  readonly #textAt = new Map<string, number>()
  /** By trial, as bit sets of graders: those that failed the trial, and those that gave a verdict or a score. */
  readonly #failed: Uint32Array
  readonly #graded: Uint32Array
  /** The names of each case's graders, indexed by their bit. */
  readonly #graders = new Map<object, string[]>()
  /**
   * The money that this run paid, in billionths of a dollar. Whole numbers add up to the same total in any order of
   * lines.
   */
  #lineNanos = 0
  #otherNanos = 0

  /** `arrays` returns the arrays of a stored tally. By default, it returns arrays of an empty tally. */
  constructor(plan: Plan, arrays: TallyArrays = emptyArrays(plan.planned)) {
    this.plan = plan
    const { column, bytes } = arrays
    this.outcome = bytes()
    this.score = column()
    this.implRate = column()
    this.answerUsd = column()
    this.judgeUsd = column()
    this.answerMs = column()
    this.waitMs = column()
    this.gradeMs = column()
    this.durationMs = column()
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
    this.integrity = bytes()
    this.#reason = bytes()
    this.#cached = bytes()
    this.#reasonText = arrays.words()
    this.#failed = arrays.longs()
    this.#graded = arrays.longs()
  }

  /**
   * Returns everything that was read from the log, as JSON data and arrays, so that it can be stored. Amounts that were
   * added with `spend` are not included.
   */
  stored(): { readonly data: StoredTally; readonly arrays: readonly ArrayBufferView[] } {
    const columns: StoredColumn[] = []
    const arrays: ArrayBufferView[] = [this.outcome]
    for (const column of this.#columns()) {
      const [data, array] = column.stored()
      columns.push(data)
      if (array !== null) arrays.push(array)
    }
    arrays.push(this.integrity, this.#reason, this.#cached, this.#reasonText)
    arrays.push(this.#failed, this.#graded)
    const graders = this.plan.suites.map(({ cases }) =>
      cases.map((one) => this.#graders.get(one) ?? null),
    )
    const { sandboxes, networks, replaced, foreign } = this
    const texts = this.#texts
    const spentNanos = this.#lineNanos
    return {
      data: {
        columns,
        sandboxes: [...sandboxes],
        networks: [...networks],
        ...{ replaced, foreign, texts, graders, spentNanos },
      },
      arrays,
    }
  }

  /** Restores a tally that `stored` returned, for the same plan. `take` returns the next bytes of its arrays. */
  static restored(plan: Plan, data: StoredTally, take: TakeBytes): Tally {
    const { planned } = plan
    const columns = data.columns.values()
    const tally = new Tally(plan, {
      bytes: () => take(planned),
      words: () => {
        const { buffer, byteOffset } = take(2 * planned)
        return new Uint16Array(buffer, byteOffset, planned)
      },
      longs: () => {
        const { buffer, byteOffset } = take(4 * planned)
        return new Uint32Array(buffer, byteOffset, planned)
      },
      column: () => Column.restored(planned, columns.next().value as StoredColumn, take),
    })
    for (const name of data.sandboxes) tally.sandboxes.add(name)
    for (const name of data.networks ?? []) tally.networks.add(name)
    tally.replaced = data.replaced
    tally.foreign = data.foreign
    tally.#lineNanos = data.spentNanos
    for (const text of data.texts) tally.#textAt.set(text, tally.#texts.push(text))
    for (const [s, { cases }] of plan.suites.entries())
      cases.forEach((one, c) => {
        const names = data.graders[s]?.[c] ?? null
        if (names !== null) tally.#graders.set(one, [...names])
      })
    return tally
  }

  /** Returns all columns, in the order in which the constructor creates them. */
  #columns(): Column[] {
    const { score, implRate, answerUsd, judgeUsd, answerMs, waitMs, gradeMs, tokens } = this
    const { durationMs, compiled, tests, lint } = this
    return [
      ...[score, implRate, answerUsd, judgeUsd, answerMs, waitMs, gradeMs, durationMs],
      ...TOKEN_CLASSES.map((kind) => tokens[kind]),
      ...[compiled, tests, lint],
    ]
  }

  /** Adds a recorded trial and returns its ordinal (position in the plan). Null if it does not belong to the plan. */
  add(trial: Trial): number | null {
    this.spendOnLine(trial.cost.spentUsd)
    const ordinal = this.plan.ordinalOf(trial)
    if (ordinal === null || this.plan.cellAt(ordinal).case.hash !== trial.caseHash) {
      this.foreign++
      return null
    }
    if (trial.sandbox !== undefined) this.sandboxes.add(trial.sandbox)
    if (trial.network !== undefined) this.networks.add(trial.network)
    this.put(ordinal, {
      outcome: trial.outcome,
      score: trial.score,
      implRate: trial.implRate,
      answerUsd: trial.cost.answerUsd,
      judgeUsd: trial.cost.judgeUsd,
      answerMs: trial.time.answerMs,
      waitMs: trial.time.waitMs,
      gradeMs: trial.time.gradeMs,
      durationMs: durationMsOf(trial.time),
      usage: trial.usage,
      code: codeFacts(trial.grades),
      reason: trial.reason ?? null,
      grades: trial.grades,
      cached: trial.source === 'cache',
    })
    return ordinal
  }

  /** Adds the amount that this run paid according to a line of the log. Unknown amounts add nothing. */
  spendOnLine(usd: number | null | undefined): void {
    this.#lineNanos += nanosOf(usd)
  }

  /** Adds an amount that this run paid and that is on no line of the log. */
  spend(usd: number | null | undefined): void {
    this.#otherNanos += nanosOf(usd)
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
    this.durationMs.set(
      ordinal,
      facts.durationMs ?? summedMs(facts.answerMs, facts.waitMs, facts.gradeMs),
    )
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
    // A later version of Assay may have written reason codes that this version does not know. Such a reason counts as
    // having no code.
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

  /** The money that this run paid in total. It includes the money for lines that a later line replaced. */
  get spentUsd(): number {
    return (this.#lineNanos + this.#otherNanos) / 1e9
  }

  /** The number of trials whose answer came from the answer cache. */
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

  /** Returns, for some trials of one case, how often each grader failed and on how many trials it gave a verdict. */
  failedGraders(one: object, ordinals: Iterable<number>): GraderFailures[] {
    const names = this.#graders.get(one) ?? []
    const counts = names.map((name) => ({ name, failed: 0, of: 0 }))
    for (const ordinal of ordinals) {
      const graded = this.#graded[ordinal] as number
      const failed = this.#failed[ordinal] as number
      for (let at = 0; at < counts.length; at++) {
        const count = counts[at] as GraderFailures
        if ((graded & (1 << at)) !== 0) count.of++
        if ((failed & (1 << at)) !== 0) count.failed++
      }
    }
    return counts
      .filter(({ failed }) => failed > 0)
      .sort((a, b) => b.failed - a.failed || (a.name < b.name ? -1 : 1))
  }

  /**
   * Returns the number of trials by outcome, for `length` trials from the position `first` in the plan on. By default,
   * for all trials.
   */
  counts(first: number = 0, length: number = this.outcome.length): Counts {
    const { outcome } = this
    let passed = 0
    let failed = 0
    let unscored = 0
    let errored = 0
    let cancelled = 0
    for (let i = first; i < first + length; i++) {
      const code = outcome[i]
      if (code === CODE.passed) passed++
      else if (code === CODE.failed) failed++
      else if (code === NONE) cancelled++
      else if (code === CODE.errored) errored++
      else unscored++
    }
    return { planned: length, passed, failed, unscored, errored, cancelled }
  }
}

const nanosOf = (usd: number | null | undefined): number => Math.round((usd ?? 0) * 1e9)

export interface GraderFailures {
  readonly name: string
  failed: number
  of: number
}

const TOKEN_CLASSES = ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'] as const
