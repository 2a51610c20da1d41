/** Assigns each subject a colour, which is the same in every chart. */
import type { ViewSubject } from '../data/source.ts'
import { visible } from '../text/visible.ts'

export interface Shown {
  readonly subject: string
  /**
   * The text for the subject in places with little space. It is the name, or a letter that the list above the charts
   * explains. A name is never shortened, because names of a model with several prompts often differ in the middle.
   */
  readonly label: string
  readonly color: string
  readonly row: ViewSubject
}

/** Number of subject colours that the stylesheet defines. */
const COLORS = 8

/** If all names have at most this length, charts show the names. Otherwise charts show letters. */
const SHORT = 16

export const colored = (rows: readonly ViewSubject[]): Shown[] => {
  const areShort = rows.every(({ subject }) => Array.from(visible(subject)).length <= SHORT)
  return rows.map((row, i) => ({
    subject: row.subject,
    label: areShort ? visible(row.subject) : letterOf(i),
    color: `var(--subject-${(i % COLORS) + 1})`,
    row,
  }))
}

/** Returns the letter for an index: A, B, …, Z, AA, AB, … */
export const letterOf = (i: number): string =>
  (i < 26 ? '' : letterOf(Math.floor(i / 26) - 1)) + String.fromCharCode(65 + (i % 26))
