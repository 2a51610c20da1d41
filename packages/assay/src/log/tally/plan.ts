/**
 * The plan lists every trial of a run and gives each a number, its ordinal. A cell is one subject on one case, and the
 * trials of a cell have consecutive ordinals. Each fact about a trial is stored in a typed array at its ordinal. So a
 * million trials take a few arrays instead of a million objects.
 */
import { type Identity, UsageError } from '@assay/contract'
import { stream } from './rng.ts'
import { memberOf, type Shard } from './shard.ts'

/**
 * The fields of a suite that a plan needs. When a run is started, the complete suite is known. When a log is read, only
 * these fields are known.
 */
export interface PlanSuite {
  readonly id: string
  /** The ids of the subjects that answer this suite. Absent: all subjects of the plan. */
  readonly subjects?: readonly string[]
  readonly cases: readonly {
    readonly id: string
    readonly hash: string
    readonly trials: number | null
    /**
     * How the case is graded. When a run is started, `graders` is set. When a log is read, `code` is set if one of the
     * graders is the code grader.
     */
    readonly graders?: readonly { readonly type: string }[]
    readonly code?: true
    /** The case's group. The cases of one group are similar, so intervals and tests treat the group as one unit. */
    readonly group?: string
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
  /**
   * The number of trials of the cell (one subject on one case) in this plan. If the plan covers one part of a run, only
   * the trials of that part count.
   */
  readonly trials: number
  /** The number of the cell's trials in all parts of the run together. */
  readonly trialsOfAllParts: number
  /** The ordinal (position in the plan) of the cell's first trial. */
  readonly first: number
}

interface SuitePlaces {
  /** The index of each case's first cell. The other cells of the case follow directly. */
  readonly cases: Map<string, number>
  /** The position of each subject among the cells of a case. */
  readonly subjects: Map<string, number>
}

/** The maximum number of trials. With more, not even their outcomes would fit into memory. */
const MOST_PLANNED = 50_000_000
/**
 * The maximum number of cells (one subject on one case each). Each cell is an object, even without trials, so more
 * cells would not fit into memory.
 */
const MOST_CELLS = 3_000_000

/** Throws if a plan for these suites and subjects would have too many cells. */
export function checkSize(
  suites: readonly { readonly cases: readonly unknown[] }[],
  subjects: readonly unknown[],
): void {
  const cases = suites.reduce((sum, suite) => sum + suite.cases.length, 0)
  if (cases * subjects.length > MOST_CELLS)
    throw new UsageError(
      `${cases} cases for ${subjects.length} subjects: a run has at most ${MOST_CELLS} pairs of a case and a subject`,
    )
}

export class Plan<S extends PlanSuite = PlanSuite, U extends PlanSubject = PlanSubject> {
  readonly suites: readonly S[]
  readonly subjects: readonly U[]
  /** All cells (one subject on one case each), ordered by case, then by subject. */
  readonly cells: readonly Cell<S, U>[]
  /** The number of trials in this plan. If the plan covers one part of a run, only the trials of that part. */
  readonly planned: number
  /** The part of the run that this plan covers. Null if it covers the whole run. */
  readonly shard: Shard | null
  /** For each trial, the index of its cell (one subject on one case). */
  readonly #cellOf: Uint32Array
  /** The index of the first cell (one subject on one case) of each case. The last entry is the number of cells. */
  readonly #caseStarts: Uint32Array
  /**
   * If the plan covers one part of a run: the index of each trial in its cell, in ascending order. Null if the plan
   * contains all trials of each cell.
   */
  readonly #indexOf: Uint32Array | null
  /** The positions of each suite's cells (one subject on one case each), by the suite's id. */
  readonly #places = new Map<string, SuitePlaces>()

  /**
   * `trials` is the number of trials for every case that does not set its own, or a function of case and subject. With
   * `shard`, the plan has only the trials of that part.
   */
  constructor(
    suites: readonly S[],
    subjects: readonly U[],
    trials: number | ((one: S['cases'][number], subject: U, suite: S) => number),
    shard: Shard | null = null,
  ) {
    this.suites = suites
    this.subjects = subjects
    this.shard = shard
    checkUnique('suite', suites)
    checkUnique('subject', subjects)
    checkSize(suites, subjects)
    const cells: Cell<S, U>[] = []
    const indexes: number[] = []
    let first = 0
    let ofAllParts = 0
    const starts: number[] = []
    for (const suite of suites) {
      const answering = answerersOf(suite, subjects)
      const places: SuitePlaces = {
        cases: new Map(),
        subjects: new Map(answering.map(({ id }, i) => [id, i])),
      }
      this.#places.set(suite.id, places)
      for (const one of suite.cases) {
        starts.push(cells.length)
        places.cases.set(one.id, cells.length)
        for (const subject of answering) {
          const own =
            typeof trials === 'number' ? (one.trials ?? trials) : trials(one, subject, suite)
          ofAllParts += own
          if (ofAllParts > MOST_PLANNED) continue
          let inPart = own
          if (shard !== null) {
            const isMember = memberOf(shard, { suite: suite.id, case: one.id, subject: subject.id })
            inPart = 0
            for (let index = 0; index < own; index++)
              if (isMember(index)) inPart = indexes.push(index) - first
          }
          cells.push({
            suite,
            case: one,
            subject,
            first,
            trials: inPart,
            trialsOfAllParts: own,
          })
          first += inPart
        }
      }
    }
    starts.push(cells.length)
    this.#caseStarts = new Uint32Array(starts)
    if (ofAllParts > MOST_PLANNED)
      throw new UsageError(`${ofAllParts} trials are planned; a run has at most ${MOST_PLANNED}`)
    this.#indexOf = shard === null ? null : Uint32Array.from(indexes)
    this.cells = cells
    this.planned = first
    this.#cellOf = new Uint32Array(first)
    cells.forEach((cell, i) => this.#cellOf.fill(i, cell.first, cell.first + cell.trials))
  }

  cellAt(ordinal: number): Cell<S, U> {
    return this.cells[this.#cellOf[ordinal] as number] as Cell<S, U>
  }

  /** Returns the cell of one subject on one case. Null if the plan has no such cell. */
  cellOf(suite: string, one: string, subject: string): Cell<S, U> | null {
    const places = this.#places.get(suite)
    const start = places?.cases.get(one)
    const offset = places?.subjects.get(subject)
    return start === undefined || offset === undefined
      ? null
      : (this.cells[start + offset] as Cell<S, U>)
  }

  /** Returns the ordinal (position in the plan) of a recorded trial. Null if the plan has no such trial. */
  ordinalOf({ suite, case: id, subject, index }: Identity): number | null {
    const cell = this.cellOf(suite, id, subject)
    if (cell === null || index < 0 || index >= cell.trialsOfAllParts) return null
    if (this.#indexOf === null) return cell.first + index
    let [low, high] = [cell.first, cell.first + cell.trials]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#indexOf[middle] as number) < index) low = middle + 1
      else high = middle
    }
    return low < cell.first + cell.trials && this.#indexOf[low] === index ? low : null
  }

  /** Returns the index of a trial in its cell (one subject on one case), counted over all parts of the run. */
  indexAt(ordinal: number): number {
    return this.#indexOf === null
      ? ordinal - this.cellAt(ordinal).first
      : (this.#indexOf[ordinal] as number)
  }

  /**
   * Returns the ordinals (positions in the plan) of one pool's trials, in the order in which they run. Each round runs
   * one trial of every cell, with the cases in a random order. So if a run stops early, its finished trials are a fair
   * sample of all cases and subjects.
   */
  *order(seed: number, pool: string): Generator<number, void> {
    const starts = this.#caseStarts
    const cases = starts.length - 1
    const most = this.cells.reduce((rounds, cell) => Math.max(rounds, cell.trialsOfAllParts), 0)
    /** For each cell (one subject on one case), the number of its trials that were already returned. */
    const begun = new Uint32Array(this.cells.length)
    for (let round = 0; round < most; round++) {
      const order = shuffled(cases, stream(seed, 'order', round))
      for (const one of order)
        for (let at = starts[one] as number; at < (starts[one + 1] as number); at++) {
          const cell = this.cells[at] as Cell<S, U>
          const next = begun[at] as number
          if (cell.subject.pool !== pool || next >= cell.trials) continue
          const ordinal = cell.first + next
          if (this.indexAt(ordinal) !== round) continue
          begun[at] = next + 1
          yield ordinal
        }
    }
  }
}

/** Returns the subjects that answer a suite, in the order of the plan. */
export function answerersOf<U extends { readonly id: string }>(
  { subjects: own }: { readonly subjects?: readonly string[] },
  subjects: readonly U[],
): readonly U[] {
  if (own === undefined) return subjects
  const names = new Set(own)
  return subjects.filter(({ id }) => names.has(id))
}

function checkUnique(what: string, list: readonly { readonly id: string }[]): void {
  const seen = new Set<string>()
  for (const { id } of list) {
    if (seen.has(id))
      throw new UsageError(`two ${what}s are both called "${id}"; give one of them another id`)
    seen.add(id)
  }
}

/** Returns the numbers 0 to length − 1 in a random order (Fisher-Yates shuffle). */
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
