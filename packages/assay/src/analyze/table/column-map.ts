/** Types for the meaning of a table's columns. */
import type { NumberName } from './result-table.ts'

/** Columns that a user can name by flags. `none` turns a guess off. */
export interface Mapping {
  readonly suite?: string
  readonly case?: string
  /** Several names, separated by commas, form one name together. */
  readonly subject?: string
  readonly index?: string
  readonly passed?: string
  readonly score?: string
  readonly impl?: string
  readonly cost?: string
  readonly duration?: string
  readonly durationUnit?: 's' | 'ms'
  /** The score that counts as 1, for instance if scores go up to 10 or 100. */
  readonly scoreMax?: number
  /** If set, the verdict is whether the score reaches this value. */
  readonly threshold?: number
}

export type Role = Exclude<keyof Mapping, 'durationUnit' | 'scoreMax' | 'threshold'>

/** How a number is read from its column. */
export interface NumberColumn {
  readonly name: NumberName
  readonly column: number
  readonly title: string
  /** The cell's number times this gives the value in our unit. */
  readonly scale: number
  readonly most: number
}

/** The indexes of columns; null if there is no such column. */
export interface ColumnMap {
  readonly suite: number | null
  readonly case: number
  /** If empty, the file's name is the subject. */
  readonly subject: readonly number[]
  /** True if the user named the subject's columns: then all of them belong to its name. */
  readonly isSubjectNamed: boolean
  /** Which part of the subject is a tier. */
  readonly tierPart: number | null
  readonly index: number | null
  readonly isIndexGuessed: boolean
  readonly passed: number | null
  readonly threshold: number | null
  readonly numbers: readonly NumberColumn[]
  /** The source of answers, in tables of trials that Assay wrote; null in all others. */
  readonly source: number | null
  /** The result of HumanEval's checker. */
  readonly result: number | null
  readonly titles: readonly string[]
  /** The mapping as shown to the user, such as `subject = tier`. */
  readonly said: readonly string[]
  readonly unused: readonly string[]
}
