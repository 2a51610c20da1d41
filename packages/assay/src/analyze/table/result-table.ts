/**
 * The results that another program produced, stored as columns. There is one row per trial, and names are stored as
 * ids. A column of numbers exists only if at least one of its values is known. So a million rows need only a few typed
 * arrays, not a million objects.
 */
import { type Grade, type ReasonCode, UsageError } from '@assay/contract'
import type { Verdict } from './csv-field.ts'
import { CaseLabels } from './case-labels.ts'
import { CaseTexts } from './case-texts.ts'
import { Dictionary, Pairs } from './dictionary.ts'

/**
 * The numbers that are stored for a row, in addition to its identity and verdict. Times are in milliseconds. Code
 * scores are from 0 to 1.
 */
export const NUMBERS = [
  'score',
  'implRate',
  'answerUsd',
  'judgeUsd',
  'answerMs',
  'waitMs',
  'gradeMs',
  'input',
  'cacheRead',
  'cacheWrite',
  'output',
  'reasoning',
  'compiled',
  'tests',
  'lint',
] as const
export type NumberName = (typeof NUMBERS)[number]

export interface RowReason {
  readonly code: ReasonCode
  readonly text: string
}

/** The maximum number of rows. More would not fit into the memory of an ordinary machine. */
const MOST_ROWS = 20_000_000
const FIRST_CAPACITY = 1024
const MOST_PATTERNS = 10_000
const REASON_LENGTH = 400

const NO_GRADES: readonly Grade[] = []

type Numbers = Float64Array | Uint32Array | Uint8Array

/** A typed array that grows when a value is set beyond its end. */
class Growing<A extends Numbers> {
  values: A
  readonly #make: (length: number) => A

  constructor(make: (length: number) => A) {
    this.#make = make
    this.values = make(FIRST_CAPACITY)
  }

  set(at: number, value: number): void {
    if (at >= this.values.length) {
      const before = this.values
      this.values = this.#make(Math.max(at + 1, before.length * 2))
      this.values.set(before)
    }
    this.values[at] = value
  }

  /**
   * Returns the value at an index, or `otherwise` if the index is beyond the end. The index is compared with the length
   * first, because reading beyond the end of a typed array is slow.
   */
  at(at: number, otherwise: number): number {
    return at < this.values.length ? (this.values[at] as number) : otherwise
  }
}

const ids = (): Growing<Uint32Array> => new Growing((length) => new Uint32Array(length))
const unknowns = (): Growing<Float64Array> =>
  new Growing((length) => new Float64Array(length).fill(Number.NaN))

export class ResultTable {
  rows = 0
  readonly suites = new Dictionary()
  readonly cases = new Dictionary()
  /** The texts that form the names of cases, if several columns form a name. */
  readonly caseParts = new Dictionary()
  readonly #casesByParts = new Map<number, number>()
  readonly #casePairs = new Pairs()
  readonly #namesInFile = new Map<number, string>()
  /** The texts that say what the cases ask, if a column has them. */
  readonly texts = new CaseTexts()
  /** The values of the columns by which figures are broken down. */
  readonly labels = new CaseLabels()
  /** The groups that cases belong to, such as repositories. */
  readonly groups = new Dictionary()
  /** The names of runs. Judgments are joined with runs by these names. */
  readonly runs = new Dictionary()
  /** The texts that form the names of subjects, such as a model and a tier. */
  readonly parts = new Dictionary()
  readonly #subjectsByParts = new Map<number, number>()
  readonly #partPairs = new Pairs()
  /** The parts of each subject's name. */
  readonly subjects: string[][] = []
  /** The rows whose implementation rate was ignored because it cannot be right. */
  readonly implAside = new Set<number>()
  /** The ids of subjects with at least one simulated answer. */
  readonly simulated = new Set<number>()
  readonly reasons: RowReason[] = []
  readonly #reasonIds = new Map<string, number>()
  readonly grades: (readonly Grade[])[] = []
  readonly #gradeIds = new Map<string, number>()

  readonly #suite = ids()
  readonly #case = ids()
  readonly #subject = ids()
  readonly #verdict = new Growing((length) => new Uint8Array(length))
  readonly #index = unknowns()
  readonly #group = ids()
  readonly #run = ids()
  readonly #reason = ids()
  readonly #grades = ids()
  readonly #numbers = Object.fromEntries(NUMBERS.map((name) => [name, null])) as Record<
    NumberName,
    Growing<Float64Array> | null
  >

  /** Adds a row and returns its index. Its other values must be set before the next row is added. */
  add(suite: number, one: number, subject: number, verdict: Verdict): number {
    const at = this.rows++
    if (at >= MOST_ROWS) throw new UsageError(`there are more than ${MOST_ROWS} rows`)
    this.#suite.set(at, suite)
    this.#case.set(at, one)
    this.#subject.set(at, subject)
    this.#verdict.set(at, verdict)
    return at
  }

  /** Returns the id of the case whose name consists of the parts with these ids. */
  caseOf(parts: readonly number[]): number {
    let key = parts.length
    for (const part of parts) key = this.#casePairs.idOf(key, part) + FIRST_KEY
    let id = this.#casesByParts.get(key)
    if (id === undefined) {
      id = this.cases.idOf(parts.map((part) => this.caseParts.names[part]).join(BETWEEN_PARTS))
      this.#casesByParts.set(key, id)
    }
    return id
  }

  /** Returns the id of the subject whose name consists of the parts with these ids. */
  subjectOf(parts: readonly number[]): number {
    let key = parts.length
    for (const part of parts) key = this.#partPairs.idOf(key, part) + FIRST_KEY
    let id = this.#subjectsByParts.get(key)
    if (id === undefined) {
      id = this.subjects.push(parts.map((part) => this.parts.names[part] as string)) - 1
      this.#subjectsByParts.set(key, id)
    }
    return id
  }

  /**
   * Marks a subject as simulated if one of its answers is simulated. Otherwise that answer could be mistaken for a
   * model's answer.
   */
  setSource(subject: number, source: unknown): void {
    if (source === 'simulated') this.simulated.add(subject)
  }

  setVerdict(at: number, verdict: Verdict): void {
    this.#verdict.set(at, verdict)
  }

  /** Gives a row's case another name, and stores the name that the case has in the file. */
  renameCase(at: number, name: string): number {
    const one = this.cases.idOf(name)
    this.#namesInFile.set(one, this.cases.names[this.caseAt(at)] as string)
    this.#case.set(at, one)
    return one
  }

  setCase(at: number, one: number): void {
    this.#case.set(at, one)
  }

  /** Returns the name that a row's case has in the file. */
  caseInFile(at: number): string {
    const one = this.caseAt(at)
    return this.#namesInFile.get(one) ?? (this.cases.names[one] as string)
  }

  /** Stores the group of the row's case. Ids are stored plus 1, so that 0 means no group. */
  setGroup(at: number, group: number): void {
    this.#group.set(at, group + 1)
  }

  /** Stores the name of the row's run. */
  setRun(at: number, run: number): void {
    this.#run.set(at, run + 1)
  }

  setIndex(at: number, index: number): void {
    this.#index.set(at, index)
  }

  set(name: NumberName, at: number, value: number): void {
    if (Number.isNaN(value)) return
    ;(this.#numbers[name] ??= unknowns()).set(at, value)
  }

  setReason(at: number, reason: RowReason): void {
    // The texts of reasons are shown only as examples. If there are too many different texts, the reasons of further
    // rows are stored without text.
    const text = this.reasons.length < MOST_PATTERNS ? reason.text.slice(0, REASON_LENGTH) : ''
    const key = `${reason.code} ${text}`
    let id = this.#reasonIds.get(key)
    if (id === undefined)
      this.#reasonIds.set(key, (id = this.reasons.push({ code: reason.code, text })))
    this.#reason.set(at, id)
  }

  /** Stores which graders passed. Many rows have the same grades, so each combination of grades is stored once. */
  setGrades(at: number, grades: readonly Grade[]): void {
    const key = JSON.stringify(grades.map(({ name, passed }) => [name, passed]))
    let id = this.#gradeIds.get(key)
    if (id === undefined) {
      if (this.grades.length === MOST_PATTERNS) return
      this.#gradeIds.set(key, (id = this.grades.push(grades)))
    }
    this.#grades.set(at, id)
  }

  suiteAt(at: number): number {
    return this.#suite.values[at] as number
  }

  caseAt(at: number): number {
    return this.#case.values[at] as number
  }

  subjectAt(at: number): number {
    return this.#subject.values[at] as number
  }

  verdictAt(at: number): Verdict {
    return this.#verdict.values[at] as Verdict
  }

  /** Returns the group of the row's case, or null if it has none. */
  groupAt(at: number): string | null {
    return this.groups.names[this.#group.at(at, 0) - 1] ?? null
  }

  /** Returns the id of the name of the row's run, or null if it has none. */
  runAt(at: number): number | null {
    const id = this.#run.at(at, 0)
    return id === 0 ? null : id - 1
  }

  /** Returns the trial index of a row, or NaN if it has none. */
  indexAt(at: number): number {
    return this.#index.at(at, Number.NaN)
  }

  /** Returns a number of a row, or NaN if it is unknown. */
  numberAt(name: NumberName, at: number): number {
    return this.#numbers[name]?.at(at, Number.NaN) ?? Number.NaN
  }

  has(name: NumberName): boolean {
    return this.#numbers[name] !== null
  }

  reasonAt(at: number): RowReason | null {
    const id = this.#reason.at(at, 0)
    return id === 0 ? null : (this.reasons[id - 1] as RowReason)
  }

  gradesAt(at: number): readonly Grade[] {
    const id = this.#grades.at(at, 0)
    return id === 0 ? NO_GRADES : (this.grades[id - 1] as readonly Grade[])
  }
}

/** The separator between the parts of a case's name. */
const BETWEEN_PARTS = ' / '

/**
 * A name's key is built part by part, from pairs of a key and a part. The first key is the number of parts, which is
 * smaller than this number. All later keys are at least this number, so they never equal a first key.
 */
const FIRST_KEY = 64
