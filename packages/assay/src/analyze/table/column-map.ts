/** Types that say what each column of a table means. */
import type { NumberName } from './result-table.ts'

/**
 * The columns that the user names with flags. The value `none` means that no column may be guessed for that meaning.
 */
export interface Mapping {
  readonly suite?: string
  /** One column, or several columns separated by commas. Their values together form the name of the case. */
  readonly case?: string
  /** One column, or several columns separated by commas. Their values together form the subject's name. */
  readonly subject?: string
  /** The column that names the group of a case, such as its repository. */
  readonly group?: string
  /** The columns by whose values figures are broken down. */
  readonly by?: readonly string[]
  readonly index?: string
  readonly passed?: string
  readonly score?: string
  readonly impl?: string
  readonly cost?: string
  readonly duration?: string
  readonly durationUnit?: 's' | 'ms'
  /** The value that counts as a score of 1. It is needed if scores go up to 10 or 100, for instance. */
  readonly scoreMax?: number
  /** The value that counts as an implementation rate of 1. */
  readonly implMax?: number
  /** If set, a row counts as passed if its score is at least this value. */
  readonly threshold?: number
  /** Columns, separated by commas, that each hold the verdicts of one subject. The table then has one row per case. */
  readonly wide?: string
  /** The column that identifies a run. Judgments are joined with the run by it. */
  readonly run?: string
  readonly judge?: string
  readonly criterion?: string
  /** If true, rows that cannot be read are left out. */
  readonly skipBadRows?: boolean
  /** The encoding of the files, if it is not UTF-8 or UTF-16. */
  readonly encoding?: string
}

export type Role = Exclude<
  keyof Mapping,
  'by' | 'durationUnit' | 'scoreMax' | 'implMax' | 'threshold' | 'wide' | 'skipBadRows' | 'encoding'
>

/** How the numbers of a column are read. */
export interface NumberColumn {
  readonly name: NumberName
  readonly column: number
  readonly title: string
  /** The factor that converts the number in a cell to the unit of the table. */
  readonly scale: number
  readonly most: number
}

/** A column with its meaning, and the reason why it was chosen. */
export interface ChosenColumn {
  /** What the column means, such as `case` or `cost`. */
  readonly role: string
  readonly columns: readonly string[]
  readonly why: string
  readonly isGuess: boolean
}

/** What each column means. Each value is the index of a column. Null means that there is no such column. */
export interface ColumnMap {
  readonly suite: number | null
  /** The columns whose values form the name of the case. */
  readonly case: readonly number[]
  /** The columns whose values form the subject's name. If the list is empty, the file's name is the subject. */
  readonly subject: readonly number[]
  /**
   * Whether the user named the subject's columns. If so, all of them belong to the name, even those that are the same
   * for all subjects.
   */
  readonly isSubjectNamed: boolean
  /** The position of the tier among the columns that form the subject's name. Null if no column is the tier. */
  readonly tierPart: number | null
  /** The column with the case's group. */
  readonly group: number | null
  /** The columns by whose values figures are broken down. */
  readonly by: readonly number[]
  readonly index: number | null
  readonly isIndexGuessed: boolean
  readonly passed: number | null
  readonly threshold: number | null
  readonly numbers: readonly NumberColumn[]
  /** The columns that each hold one subject's verdicts. Empty unless the table has one row per case. */
  readonly wide: readonly number[]
  /** The column that identifies the run. */
  readonly run: number | null
  /** The column with a text that says what the case asks. It shows whether a case is the same for all subjects. */
  readonly text: number | null
  /** The column with the source of the answer. Only tables of trials that Assay wrote have it. */
  readonly source: number | null
  /** The column with the result that HumanEval's checker writes. */
  readonly result: number | null
  readonly titles: readonly string[]
  /** Every column that is used, with the reason. This is shown to the user. */
  readonly chosen: readonly ChosenColumn[]
  readonly unused: readonly string[]
}
