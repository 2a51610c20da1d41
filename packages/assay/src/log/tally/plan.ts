/**
 * The plan: every trial that is to be, as numbers. A cell is one subject on one case; its trials have
 * consecutive ordinals, so that whatever is known about a trial lives in a typed column at its ordinal
 * and a million trials are a few arrays, not a million objects.
 */
import { type Identity, UsageError } from '@assay/contract'
import { stream } from './rng.ts'

/** What a plan needs to know of a suite; a run has whole suites, a reader of its log only this. */
export interface PlanSuite {
  readonly id: string
  readonly cases: readonly {
    readonly id: string
    readonly hash: string
    readonly trials: number | null
    /** What grades it: a run knows its graders, its log whether one of them is `code`. */
    readonly graders?: readonly { readonly type: string }[]
    readonly code?: true
  }[]
}

export interface PlanSubject {
  readonly id: string
  readonly pool: string
}

export interface Cell<S extends PlanSuite = PlanSuite, U extends PlanSubject = PlanSubject> {
  readonly suite: S
  readonly case: S['cases'][number]
  readonly subject: U
  readonly trials: number
  /** Ordinal of its first trial. */
  readonly first: number
}

/** Of more, not even the outcomes would fit into memory. */
const MOST_PLANNED = 50_000_000

export class Plan<S extends PlanSuite = PlanSuite, U extends PlanSubject = PlanSubject> {
  readonly suites: readonly S[]
  readonly subjects: readonly U[]
  /** By case, then by subject. */
  readonly cells: readonly Cell<S, U>[]
  /** Trials in all. */
  readonly planned: number
  /** Cell of each trial. */
  readonly #cellOf: Uint32Array
  /** By suite, case and subject. */
  readonly #byIdentity = new Map<string, Map<string, Map<string, Cell<S, U>>>>()

  /** `trials` for every case that does not set its own number, or for each case and subject. */
  constructor(
    suites: readonly S[],
    subjects: readonly U[],
    trials: number | ((one: S['cases'][number], subject: U, suite: S) => number),
  ) {
    this.suites = suites
    this.subjects = subjects
    checkUnique('suite', suites)
    checkUnique('subject', subjects)
    const cells: Cell<S, U>[] = []
    let first = 0
    for (const suite of suites)
      for (const one of suite.cases)
        for (const subject of subjects) {
          const own =
            typeof trials === 'number' ? (one.trials ?? trials) : trials(one, subject, suite)
          const cell = { suite, case: one, subject, trials: own, first }
          cells.push(cell)
          of(of(this.#byIdentity, suite.id), one.id).set(subject.id, cell)
          first += cell.trials
        }
    if (first > MOST_PLANNED)
      throw new UsageError(`${first} trials are planned; a run has at most ${MOST_PLANNED}`)
    this.cells = cells
    this.planned = first
    this.#cellOf = new Uint32Array(first)
    for (const [i, cell] of cells.entries())
      this.#cellOf.fill(i, cell.first, cell.first + cell.trials)
  }

  cellAt(ordinal: number): Cell<S, U> {
    return this.cells[this.#cellOf[ordinal] as number] as Cell<S, U>
  }

  /** The ordinal of a recorded trial; null where the plan has no such trial. */
  ordinalOf({ suite, case: id, subject, index }: Identity): number | null {
    const cell = this.#byIdentity.get(suite)?.get(id)?.get(subject)
    return cell === undefined || index < 0 || index >= cell.trials ? null : cell.first + index
  }

  /**
   * The ordinals of one pool in the order they are run: round by round, and in each round the cases in
   * a drawn order, so that a run that stops early is a fair sample of all cases and subjects.
   */
  *order(seed: number, pool: string): Generator<number, void> {
    const subjects = this.subjects.length
    const cases = this.cells.length / Math.max(1, subjects)
    const most = this.cells.reduce((rounds, cell) => Math.max(rounds, cell.trials), 0)
    for (let round = 0; round < most; round++) {
      const order = shuffled(cases, stream(seed, 'order', round))
      for (const one of order)
        for (let s = 0; s < subjects; s++) {
          const cell = this.cells[one * subjects + s] as Cell<S, U>
          if (cell.subject.pool === pool && round < cell.trials) yield cell.first + round
        }
    }
  }
}

/** The map within a map, made where there is none yet. */
function of<V>(maps: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let map = maps.get(key)
  if (map === undefined) maps.set(key, (map = new Map()))
  return map
}

function checkUnique(what: string, list: readonly { readonly id: string }[]): void {
  const seen = new Set<string>()
  for (const { id } of list) {
    if (seen.has(id))
      throw new UsageError(`two ${what}s are both called "${id}"; give one of them another id`)
    seen.add(id)
  }
}

/** 0 … length − 1 in a drawn order (Fisher and Yates). */
function shuffled(length: number, random: () => number): Uint32Array {
  const order = Uint32Array.from({ length }, (_, i) => i)
  for (let i = length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const swap = order[i] as number
    order[i] = order[j] as number
    order[j] = swap
  }
  return order
}
