/** Assigns each subject its colour, the same in every chart. */
import type { ViewSubject } from '../data/source.ts'

export interface Shown {
  readonly subject: string
  readonly color: string
  readonly row: ViewSubject
}

/** Number of subject colours that the stylesheet defines. */
const COLORS = 8

export const colored = (rows: readonly ViewSubject[]): Shown[] =>
  rows.map((row, i) => ({
    subject: row.subject,
    color: `var(--subject-${(i % COLORS) + 1})`,
    row,
  }))
