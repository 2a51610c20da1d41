/** Types that say what each column of a table means. */
import type { NumberName } from './result-table.ts'

/** The columns that a user names with flags. The value `none` means that no column may be guessed for it. */
export interface Mapping {
  readonly suite?: string
  /** One column, or several separated by commas whose values together form the name of the case. */
  readonly case?: string
  /** One column, or several separated by commas whose values together form the subject's name. */
  readonly subject?: string
  /** The column that names the group of a case, such as its repository. It is read and kept with the case. */
  readonly group?: string
  /** Columns by whose values figures are broken down. */
  readonly by?: readonly string[]
  readonly index?: string
  readonly passed?: string
  readonly score?: string
  readonly impl?: string
  readonly cost?: string
  readonly duration?: string
  readonly durationUnit?: 's' | 'ms'
  /** The value that counts as a score of 1. Needed if scores go up to 10 or 100, for instance. */
  readonly scoreMax?: number
  /** The value that counts as an implementation rate of 1. */
  readonly implMax?: number
  /** If set, a row passes if its score is at least this value. */
  readonly threshold?: number
  /** Columns that each hold the verdicts of one subject, separated by commas: a table with one row per case. */
  readonly wide?: string
  /** The column that identifies a run, by which judgments are joined with it. */
  readonly run?: string
  readonly judge?: string
  readonly criterion?: string
  /** True if rows that cannot be read are left out. */
  readonly skipBadRows?: boolean
  /** The encoding of the files, if it is not UTF-8 or UTF-16. */
  readonly encoding?: string
}

export type Role = Exclude<
  keyof Mapping,
  'by' | 'durationUnit' | 'scoreMax' | 'implMax' | 'threshold' | 'wide' | 'skipBadRows' | 'encoding'
>

/** How the numbers in a column are read. */
export interface NumberColumn {
  readonly name: NumberName
  readonly column: number
  readonly title: string
  /** Multiplying the number in a cell by this factor gives the value in the table's unit. */
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

/** What each column means. The numbers are column indexes, and null means that there is no such column. */
export interface ColumnMap {
  readonly suite: number | null
  /** The columns that form the name of the case. */
  readonly case: readonly number[]
  /** The columns that form the subject's name. If the list is empty, the file's name is the subject. */
  readonly subject: readonly number[]
  /**
   * True if the user named the subject's columns. Then all of them belong to the name, even those that are the same for
   * all subjects.
   */
  readonly isSubjectNamed: boolean
  /** Which part of the subject's name is the tier. */
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
  /** A text that says what the case asks. It shows whether a case means the same for all subjects. */
  readonly text: number | null
  /** The column with the source of the answer. Only tables of trials that Assay wrote have it. */
  readonly source: number | null
  /** The column with the result that HumanEval's checker writes. */
  readonly result: number | null
  readonly titles: readonly string[]
  /** Every column that is used, with the reason, as shown to the user. */
  readonly chosen: readonly ChosenColumn[]
  readonly unused: readonly string[]
}
