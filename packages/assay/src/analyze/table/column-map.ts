/** Which column of a table means what. */
import type { NumberName } from './result-table.ts'

/** Columns that a user can name, by their flags. `none` takes a guess back. */
export interface Mapping {
  readonly suite?: string
  readonly case?: string
  /** Several, by comma, make one name together. */
  readonly subject?: string
  readonly index?: string
  readonly passed?: string
  readonly score?: string
  readonly impl?: string
  readonly cost?: string
  readonly duration?: string
  readonly durationUnit?: 's' | 'ms'
  /** What counts as 1, where scores go to 10 or 100. */
  readonly scoreMax?: number
  /** The verdict is whether the score reaches this. */
  readonly threshold?: number
}

export type Role = Exclude<keyof Mapping, 'durationUnit' | 'scoreMax' | 'threshold'>

/** How a number is taken from its column. */
export interface NumberColumn {
  readonly name: NumberName
  readonly column: number
  readonly title: string
  /** The cell's number times this is ours. */
  readonly scale: number
  readonly most: number
}

/** Columns by their places; null where there is none. */
export interface ColumnMap {
  readonly suite: number | null
  readonly case: number
  /** Empty: the file's name is the subject. */
  readonly subject: readonly number[]
  /** The user named the subject's columns, so that every one of them belongs to its name. */
  readonly isSubjectNamed: boolean
  /** Which part of the subject is a tier. */
  readonly tierPart: number | null
  readonly index: number | null
  readonly isIndexGuessed: boolean
  readonly passed: number | null
  readonly threshold: number | null
  readonly numbers: readonly NumberColumn[]
  /** Where answers come from, in tables of trials that Assay wrote; null in all others. */
  readonly source: number | null
  /** What HumanEval's checker said. */
  readonly result: number | null
  readonly titles: readonly string[]
  /** For people: `subject = tier`. */
  readonly said: readonly string[]
  readonly unused: readonly string[]
}
