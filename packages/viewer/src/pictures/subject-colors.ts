/** A subject and its colour in every picture. */
import type { ViewSubject } from '../data/source.ts'

export interface Shown {
  readonly subject: string
  readonly color: string
  readonly row: ViewSubject
}

/** As many as the style has. */
const COLORS = 8

export const colored = (rows: readonly ViewSubject[]): Shown[] =>
  rows.map((row, i) => ({
    subject: row.subject,
    color: `var(--subject-${(i % COLORS) + 1})`,
    row,
  }))
